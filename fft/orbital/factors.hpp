// A Fourier transform by factors across the nodes of a ring. For the dft, it takes less work than
// the product with a matrix.
//
// An axis of N = P·b points lies in P blocks of b. With n = N'·b + q and k = K + P·c, where N' and
// K count blocks and q and c their elements,
//
//   X[K + P·c] = sum over q of exp(-2πi·qc/b) · exp(-2πi·qK/N) · sum over N' of
//   exp(-2πi·N'K/P)·x[N'·b + q]
//
// The sum over N' is a step's product with a single coefficient: blocks are shifted as for a
// matrix, but a step takes b³ multiply-adds instead of b⁴. The rest belongs to block K alone: when
// the sum has come home, its node multiplies by exp(-2πi·qK/N) and transforms lines of b points.
// Backward goes the other way round, with the conjugates: lines, factors, then the sum.
//
// So block K of the result has the frequencies K, K + P, K + 2P, ...: frequency k is at place (k
// mod P)·b + k div P of its axis. This digit order does not affect the other axes.
//
// Source: Cooley and Tukey (1965), with the first factor on the ring; Bailey's four steps.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/orbital/plan.hpp"
#include "fft/plan/stage_transform.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// Cycles of the node's own part for an axis that is transformed by factors: one complex product
/// per element, and the lines of a block.
Tick block_factor_cycles(const OrbitalPlan& plan, unsigned axis, const Machine& machine);

/// The node's own part for one axis. T is a complex type.
template <typename T>
class BlockFactor {
 public:
  BlockFactor() = default;  ///< for an axis that has a matrix; run() does nothing
  /// `number`: the block's number along the axis, on the frequency side.
  BlockFactor(const OrbitalPlan& plan, unsigned axis, unsigned number, const Machine& machine);

  /// Works on a block in C order, in place. Forward multiplies, then transforms; backward
  /// transforms, then multiplies.
  void run(std::byte* block);
  Tick cycles() const { return cycles_; }

 private:
  void multiply(T* block) const;

  bool is_forward_ = true;
  std::int64_t outer_ = 0;  ///< product of the block's lengths before the axis, in C order
  std::int64_t inner_ = 0;  ///< product of the block's lengths after the axis
  std::vector<T> turns_;    ///< exp(∓2πi·qK/N), indexed by q
  StageTransform lines_;
  Tick cycles_ = 0;
};

extern template class BlockFactor<std::complex<float>>;
extern template class BlockFactor<std::complex<double>>;

}  // namespace toroid::fft
