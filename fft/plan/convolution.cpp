#include "fft/plan/convolution.hpp"

#include <complex>
#include <utility>

#include "fft/plan/extents.hpp"
#include "fft/plan/norm.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

/// The frequency of element i of an axis. If a box cut keeps an even number n of points, it keeps
/// the frequency -n/2 and drops n/2; see StageTransform::copy_centre.
std::int64_t frequency(const Description& description, unsigned axis, std::int64_t i) {
  if (description.real && axis == half_axis(description)) return i;
  const std::int64_t n = kept_of(description.size[axis], description.box_cut);
  const std::int64_t upper = description.box_cut > 1 ? (n + 1) / 2 : n / 2 + 1;
  return i < upper ? i : i - n;
}

/// Advances `at` to the next row of a box in C order. Returns false after the last row.
bool to_next_row(const Box& box, unsigned row_axis, Index& at) {
  for (unsigned axis = row_axis; axis-- > 0;) {
    if (++at[axis] < box.hi[axis]) return true;
    at[axis] = box.lo[axis];
  }
  return false;
}

LocalArray room_for_spectrum(const Plan& plan) {
  return LocalArray::of_bytes(plan.output_size() * plan.blueprint().bytes(false));
}

/// Returns the blueprint, if its transform is the dft.
std::shared_ptr<const Blueprint> with_dft(std::shared_ptr<const Blueprint> blueprint) {
  if (blueprint == nullptr) return blueprint;  // Plan refuses it
  for (const AxisTransform& transform : blueprint->description().kinds)
    if (transform.kind != TransformKind::dft)
      throw BadInput("a convolution needs the dft: other transforms' spectra have no wave vectors");
  return blueprint;
}

}  // namespace

WaveVector wave_vector(const Description& description, const Index& at) {
  WaveVector wave{};
  (void)in_extents(description);  // refuses more axes than a wave vector has
  for (unsigned axis = 0; axis < description.size.size(); ++axis)
    wave[axis] = frequency(description, axis, at[axis]);
  return wave;
}

Convolution::Convolution(Node& node, const Description& description)
    : Convolution(node, std::make_shared<const Blueprint>(description, node.shape())) {}

Convolution::Convolution(Node& node, std::shared_ptr<const Blueprint> blueprint)
    : node_(&node),
      plan_(node, with_dft(std::move(blueprint))),
      spectrum_(room_for_spectrum(plan_)) {}

PerformAwaiter Convolution::begin(ConstArray in, Array out, Factor factor) {
  if (!program_.done())
    throw RunFailed(
        "a Convolution was applied while a call of it was in progress; use co_await on apply()");
  in_ = in;
  out_ = out;
  factor_ = std::move(factor);
  program_ = run(*node_, *this);
  return node_->perform(program_);
}

Array Convolution::spectrum() {
  return {spectrum_.as<std::byte>(), plan_.output_size(), false, description().precision};
}

Program Convolution::run(Node&, Convolution& self) {
  const Array spectrum = self.spectrum();
  co_await self.plan_.forward(self.in_, spectrum);
  self.multiply();
  const Scale scale = undoing_scale(self.description());
  co_await self.plan_.backward(spectrum, self.out_, scale);
}

void Convolution::multiply() {
  for (const Box& box : plan_.output_layout().boxes()) {
    if (description().precision == Precision::single)
      multiply<float>(box);
    else
      multiply<double>(box);
  }
}

template <typename T>
void Convolution::multiply(const Box& box) {
  Index at = box.lo;
  do multiply_row<T>(box, at);
  while (to_next_row(box, row_axis(), at));
}

/// Multiplies the row that begins at `at` in all arrays of the batch. Calls the factor once per
/// element of the row.
template <typename T>
void Convolution::multiply_row(const Box& box, Index at) {
  const unsigned axis = row_axis();
  const NodeLayout& layout = plan_.output_layout();
  WaveVector wave = wave_vector(description(), at);
  auto* element = reinterpret_cast<std::complex<T>*>(spectrum_.data()) + layout.offset(at);
  for (; at[axis] < box.hi[axis]; ++at[axis], element += layout.stride(axis)) {
    wave[axis] = frequency(description(), axis, at[axis]);
    const std::complex<T> factor(factor_(wave));
    for (std::int64_t array = 0; array < box.length(kBatchAxis); ++array)
      element[array * layout.stride(kBatchAxis)] *= factor;
  }
}

}  // namespace toroid::fft
