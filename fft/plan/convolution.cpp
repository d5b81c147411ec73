#include "fft/plan/convolution.hpp"

#include <algorithm>
#include <complex>
#include <span>
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
  const TransformKind kind = description.kinds[axis].kind;
  if (kind == TransformKind::dct) return i;
  if (kind == TransformKind::dst) return i + 1;
  if (keeps_half(description) && axis == half_axis(description)) return i;
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
  const Blueprint& blueprint = plan.blueprint();
  return LocalArray::of_bytes(plan.output_size() * blueprint.bytes(blueprint.real_out()));
}

/// Throws BadInput for transforms whose spectra have no wave vectors.
void check_waves(const Description& description) {
  constexpr std::array kPossible = {TransformKind::dft, TransformKind::dct, TransformKind::dst};
  const auto kinds = std::span(description.kinds).first(description.size.size());
  for (const AxisTransform& transform : kinds)
    if (std::ranges::find(kPossible, transform.kind) == kPossible.end())
      throw BadInput("the spectrum of transform " + name_of(transform) +
                     " has no wave vectors; a convolution takes dft, dct and dst");
}

/// Returns the blueprint, if its spectrum has wave vectors.
std::shared_ptr<const Blueprint> with_waves(std::shared_ptr<const Blueprint> blueprint) {
  if (blueprint != nullptr) check_waves(blueprint->description());  // Plan refuses a null pointer
  return blueprint;
}

template <typename Number>
Number factor_as(const Complex& factor) {
  if constexpr (std::is_floating_point_v<Number>)
    return static_cast<Number>(factor.real());
  else
    return Number(factor);
}

/// A node's part of the spectrum and the factor that multiplies it.
template <typename Number>
struct Product {
  const Description& description;
  const NodeLayout& layout;
  Number* spectrum;
  const WaveFactor& factor;

  /// The fastest axis of the array; rows lie along it.
  unsigned row_axis() const { return static_cast<unsigned>(description.size.size()) - 1; }

  void multiply(const Box& box) const {
    Index at = box.lo;
    do multiply_row(box, at);
    while (to_next_row(box, row_axis(), at));
  }

  /// Multiplies the row that begins at `at` in all arrays of the batch. Calls the factor once per
  /// element of the row.
  void multiply_row(const Box& box, Index at) const {
    const unsigned axis = row_axis();
    WaveVector wave = wave_vector(description, at);
    Number* element = spectrum + layout.offset(at);
    for (; at[axis] < box.hi[axis]; ++at[axis], element += layout.stride(axis)) {
      wave[axis] = frequency(description, axis, at[axis]);
      const auto number = factor_as<Number>(factor(wave));
      for (std::int64_t array = 0; array < box.length(kBatchAxis); ++array)
        element[array * layout.stride(kBatchAxis)] *= number;
    }
  }
};

template <typename Number>
void multiply_as(const Plan& plan, const Array& spectrum, const WaveFactor& factor) {
  const NodeLayout& layout = plan.output_layout();
  const Product<Number> product{plan.blueprint().description(), layout,
                                reinterpret_cast<Number*>(spectrum.data), factor};
  for (const Box& box : layout.boxes()) product.multiply(box);
}

}  // namespace

WaveVector wave_vector(const Description& description, const Index& at) {
  WaveVector wave{};
  (void)in_extents(description);  // refuses more axes than a wave vector has
  check_waves(description);
  for (unsigned axis = 0; axis < description.size.size(); ++axis)
    wave[axis] = frequency(description, axis, at[axis]);
  return wave;
}

void multiply_spectrum(const Plan& plan, const Array& spectrum, const WaveFactor& factor) {
  const bool is_real = plan.blueprint().real_out();
  const Precision precision = plan.blueprint().description().precision;
  if (spectrum.size < plan.output_size() || spectrum.real != is_real ||
      spectrum.precision != precision)
    throw BadInput(
        "the array to multiply is not a spectrum of this plan: too short, or of another type");
  if (precision == Precision::single)
    is_real ? multiply_as<float>(plan, spectrum, factor)
            : multiply_as<std::complex<float>>(plan, spectrum, factor);
  else
    is_real ? multiply_as<double>(plan, spectrum, factor)
            : multiply_as<std::complex<double>>(plan, spectrum, factor);
}

Convolution::Convolution(Node& node, const Description& description)
    : Convolution(node, std::make_shared<const Blueprint>(description, node.shape())) {}

Convolution::Convolution(Node& node, std::shared_ptr<const Blueprint> blueprint)
    : node_(&node),
      plan_(node, with_waves(std::move(blueprint))),
      spectrum_(room_for_spectrum(plan_)) {}

PerformAwaiter Convolution::begin(ConstArray in, Array out, WaveFactor factor) {
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
  return {spectrum_.as<std::byte>(), plan_.output_size(), plan_.blueprint().real_out(),
          description().precision};
}

Program Convolution::run(Node&, Convolution& self) {
  const Array spectrum = self.spectrum();
  co_await self.plan_.forward(self.in_, spectrum);
  multiply_spectrum(self.plan_, spectrum, self.factor_);
  const Scale scale = undoing_scale(self.description());
  co_await self.plan_.backward(spectrum, self.out_, scale);
}

}  // namespace toroid::fft
