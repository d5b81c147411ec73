// The orbital transform of a given type of elements.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/orbital/base.hpp"
#include "fft/orbital/factors.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/product.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {

/// One node's part with its coefficients. T is float, double, std::complex<float> or
/// std::complex<double>, and must match the plan's element type.
template <typename T>
class OrbitalTransform final : public OrbitalBase {
 public:
  OrbitalTransform(Node& node, const OrbitalPlan& plan, HandlerId first_handler = kFirstHandler);

  /// This node's block plan().input_box() of the array, in C order. The caller sets it before a
  /// run, which overwrites it.
  std::span<T> input() { return elements_at(input_block()); }
  /// After a run: this node's block plan().output_box() of the unscaled result.
  std::span<const T> output() {
    return elements_at(array(plan().stage(OrbitalPlan::kStages - 1).sum));
  }

 private:
  /// The type is complex even if T is real. The factors then do nothing, because a real plan has no
  /// axis by factors.
  using Factor = BlockFactor<std::complex<typename OrbitalProduct<T>::Real>>;

  std::uint64_t multiply_blocks(const OrbitalStage& stage, bool add,
                                const OrbitalSlice& slice) override;
  Tick transform_lines(unsigned pair) override;
  std::span<T> elements_at(std::byte* block) const;
  std::byte* coefficients(unsigned pair);
  void load_coefficients(unsigned pair);
  unsigned block_number(unsigned number, unsigned axis) const;

  std::vector<OrbitalProduct<T>> products_;     ///< one per pair of arrays; see OrbitalStage
  std::vector<LocalArray> fixed_coefficients_;  ///< the coefficients of pairs 1 and 2
  std::vector<Factor> factors_;                 ///< one per pair; idle if the axis has a matrix
};

extern template class OrbitalTransform<float>;
extern template class OrbitalTransform<double>;
extern template class OrbitalTransform<std::complex<float>>;
extern template class OrbitalTransform<std::complex<double>>;

}  // namespace toroid::fft
