#include "fft/orbital/factors.hpp"

#include <array>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/coefficients.hpp"
#include "fft/orbital/product.hpp"
#include "fft/plan/cost_model.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {
namespace {

constexpr std::uint64_t kMultiplyAddsOfComplex = 4;

/// The task that transforms a block's lines along an axis, in place.
LocalTask lines_of(const OrbitalPlan& plan, unsigned axis) {
  const std::array<std::int64_t, 3> block = {plan.block(0), plan.block(1), plan.block(2)};
  LocalTask task;
  task.from = NodeLayout::dense(Box::of(extents_of(block)));
  task.to = task.from;
  task.axes[axis] = true;
  task.backward = plan.options().sign == Sign::inverse;
  task.in_place = true;
  return task;
}

/// The fields of a description that StageTransform reads.
Description description_of(const OrbitalOptions& options) {
  Description description;
  const bool single = options.element == ElementType::complex64;
  description.precision = single ? Precision::single : Precision::double_;
  description.library = options.library;
  description.rigor = options.rigor;
  return description;
}

}  // namespace

Tick block_factor_cycles(const OrbitalPlan& plan, unsigned axis, const Machine& machine) {
  return product_cycles(machine, kMultiplyAddsOfComplex * plan.block_elements()) +
         cost_of(lines_of(plan, axis), machine).cycles;
}

template <typename T>
BlockFactor<T>::BlockFactor(const OrbitalPlan& plan, unsigned axis, unsigned number,
                            const Machine& machine)
    : is_forward_(plan.options().sign == Sign::forward),
      outer_(1),
      inner_(1),
      lines_(lines_of(plan, axis), description_of(plan.options()), machine),
      cycles_(block_factor_cycles(plan, axis, machine)) {
  for (unsigned a = 0; a < 3; ++a)
    if (a != axis) (a < axis ? outer_ : inner_) *= plan.block(a);
  const std::int64_t size = plan.size()[axis];
  for (std::int64_t q = 0; q < plan.block(axis); ++q)
    turns_.push_back(
        T(coefficient(TransformKind::dft, plan.options().sign, size, q, std::int64_t{number})));
}

template <typename T>
void BlockFactor<T>::multiply(T* block) const {
  for (std::int64_t o = 0; o < outer_; ++o)
    for (const T& turn : turns_)
      for (std::int64_t i = 0; i < inner_; ++i, ++block) *block = times(*block, turn);
}

template <typename T>
void BlockFactor<T>::run(std::byte* block) {
  if (turns_.empty()) return;
  auto* const elements = reinterpret_cast<T*>(block);
  if (is_forward_) multiply(elements);
  lines_.run(block, block);
  if (!is_forward_) multiply(elements);
}

template class BlockFactor<std::complex<float>>;
template class BlockFactor<std::complex<double>>;

}  // namespace toroid::fft
