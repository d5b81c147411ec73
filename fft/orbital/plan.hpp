// The orbital transform's stages, directions and layouts.
//
// P x P x P nodes (Q,R,S) transform an array of N1 x N2 x N3 elements in blocks of b = N/P along
// each axis. With T = (alpha·(Q,R,S)) mod P, node (Q,R,S) has these blocks at the beginning and at
// the end of every stage:
//
//   X0(Q,R,S)   no axis transformed: the canonical layout
//   X1(Q,R,T)   the last axis transformed, with C(S,T)
//   X2(S,R,T)   the first axis too, with C(Q,S)
//   X3(S,Q,T)   all axes, with C(R,Q): the skewed layout
//
// Forward goes from X0 to X3. The inverse goes from X3 to X0, with the blocks of its own matrices
// at the same coordinates. Each of the three stages takes P steps of compute and ring shift. In
// every step a node multiplies its block of data by its block of coefficients and adds the product
// to its block of the sum. Then two of the three blocks move on to neighbours, which the paper
// calls rolling:
//
//               axis   stays   shifted
//   X0 and X1     2    X0      X1 along S, C along Q
//   X1 and X2     0    C       X1 along S, X2 along Q
//   X2 and X3     1    C       X2 along Q, X3 along R
//
// In the forward transform, every block moves in the direction of alpha's sign in its dimension. So
// a block comes from a node whose T is lower by 1: at step t a node works on the blocks of T - t.
// The inverse is the forward transform in reverse: everything moves the other way. After P steps
// all blocks are back at their own nodes.
//
// The stages may transform the axes in any of the six orders. This renames axes and dimensions
// together. In the statements above, read S and the last axis as the dimension and the axis of the
// first stage, Q and the first axis as those of the second stage, and R and the middle axis as
// those of the third stage. The first two stages take place in slices across the third stage's
// axis: P planes of nodes that are independent of each other. The third stage's axis is therefore
// called the slicing, and each slicing allows two orders.
//
// The array's extents may differ if P divides each. The machine's extents must be equal: X2 has as
// many blocks along the second stage's axis as there are nodes along S, and X3 as many along the
// third stage's axis as there are nodes along Q.
//
// Source: Sedukhin, University of Aizu 2012-001, sections 2, 4.1 and 4.2. Not in the source: each
// axis may have its own transform and extent.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// Extents of the array.
using ArrayExtents = std::array<std::int64_t, 3>;

/// The type of the array's elements, named as in NumPy.
enum class ElementType : std::uint8_t { float32, float64, complex64, complex128 };
inline constexpr std::array<std::string_view, 4> kElementTypeNames = {"float32", "float64",
                                                                      "complex64", "complex128"};
template <typename T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, float>) return ElementType::float32;
  if constexpr (std::is_same_v<T, double>) return ElementType::float64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return ElementType::complex64;
  return ElementType::complex128;
}
constexpr bool is_complex(ElementType type) {
  return type >= ElementType::complex64;
}
constexpr std::uint64_t bytes_of(ElementType type) {
  constexpr std::array<std::uint64_t, 4> kBytes = {4, 8, 8, 16};
  return kBytes[static_cast<unsigned>(type)];
}

struct OrbitalOptions {
  std::array<AxisTransform, 3> kinds{};  ///< one per axis
  Sign sign = Sign::forward;
  ElementType element = ElementType::complex128;
  std::array<int, 3> alpha = {1, 1, 1};  ///< the scheduling vector: +1 or -1 for Q, R and S
  /// The axis that each stage of forward transforms: any permutation of 0, 1 and 2.
  std::array<unsigned, 3> stage_axes = {2, 0, 1};
  /// The broadcast variants keep every array in the canonical layout and ignore alpha.
  OrbitalVariant variant = OrbitalVariant::cra;
  /// Library and planning of line transforms, if an axis is transformed by factors.
  local::LibraryName library = local::default_library();
  local::Rigor rigor = local::Rigor::estimate;
};

/// Digit order on an axis of `size` points and rings of `extent` nodes: frequency_by_digits()
/// converts a place to its frequency, place_by_digits() converts a frequency to its place.
/// REQUIRES: extent divides size; 0 <= place, frequency < size.
constexpr std::int64_t frequency_by_digits(std::int64_t size, std::int64_t extent,
                                           std::int64_t place) {
  TOROID_CHECK_IN_CHECKED_BUILD(extent > 0 && size % extent == 0);
  TOROID_CHECK_IN_CHECKED_BUILD(0 <= place && place < size);
  const std::int64_t block = size / extent;
  return place % block * extent + place / block;
}
constexpr std::int64_t place_by_digits(std::int64_t size, std::int64_t extent,
                                       std::int64_t frequency) {
  return frequency_by_digits(size, size / extent, frequency);
}

/// Throws BadInput if the orbital transform does not support these arguments; OrbitalPlan's
/// constructor lists the reasons.
void check_orbital(const ArrayExtents& size, const Shape& shape, const OrbitalOptions& options);

/// A stage multiplies X`data` by coefficients along an axis; the result is X`sum`.
struct OrbitalStage {
  unsigned data;
  unsigned sum;
  unsigned axis;

  /// The number of the pair of arrays: 0 for X0 and X1, 1 for X1 and X2, 2 for X2 and X3.
  unsigned pair() const { return std::min(data, sum); }
};

/// A block's number along each axis, 0 to P-1.
using BlockIndex = std::array<unsigned, 3>;

/// All nodes share one plan. It is immutable and serves any number of transforms.
class OrbitalPlan {
 public:
  static constexpr unsigned kStages = 3;

  /// Throws BadInput, with a message that says what would fit, if
  /// - an extent is below 1, or an option has an impossible value;
  /// - an axis has more than 2^28 points, or a side of a block 2^30 numbers or more;
  /// - the machine is not a torus of P x P x P nodes or a single node;
  /// - P does not divide an extent;
  /// - the extent of an axis with wht is not a power of two, or an axis with a matrix has an extent
  ///   other than the matrix's size;
  /// - the inverse is asked for and a matrix is singular;
  /// - the elements are real and the coefficients complex;
  /// - the variant is a broadcast variant and an axis is transformed by factors;
  /// - P > 1, and a block is too long for RingShift.
  OrbitalPlan(const ArrayExtents& size, const Shape& shape, OrbitalOptions options);

  /// Returns this plan. Throws BadInput if it is for another number of nodes or type of elements.
  const OrbitalPlan& checked_for(Rank nodes, ElementType element) const;

  const ArrayExtents& size() const { return size_; }
  const OrbitalOptions& options() const { return options_; }
  unsigned extent() const { return extent_; }  ///< P
  /// Number of elements of a block along an axis, and in total.
  int block(unsigned axis) const { return static_cast<int>(size_[axis] / extent_); }
  std::size_t block_elements() const;
  OrbitalStage stage(unsigned number) const;
  /// The axis that is transformed between a pair of arrays; see OrbitalStage.
  unsigned product_axis(unsigned pair) const { return options_.stage_axes[pair]; }
  /// The torus dimensions along which X`number`, 1 to 3, and the coefficients are shifted.
  unsigned array_dimension(unsigned number) const { return options_.stage_axes[number - 1]; }
  unsigned coefficients_dimension() const { return options_.stage_axes[1]; }

  /// The block that a node holds before a forward transform, and the block that it holds after it.
  BlockIndex canonical(Rank node) const { return home(0, node); }
  BlockIndex skewed(Rank node) const { return home(3, node); }
  /// The index boxes of the node's block of the input, and of the result.
  Box input_box(Rank node) const { return box(options_.sign == Sign::forward ? 0 : 3, node); }
  Box output_box(Rank node) const { return box(options_.sign == Sign::forward ? 3 : 0, node); }

  /// The block of array X`number`, 0 to 3, that a node holds at the beginning and the end of a
  /// stage.
  BlockIndex home(unsigned number, Rank node) const;
  /// A block that each step of a stage moves along a torus dimension: of an array, or of an axis's
  /// coefficients. Either every node shifts its block, or in each ring one node broadcasts its
  /// block.
  struct MovedBlock {
    unsigned dimension;
    bool coefficients;
    unsigned axis;  ///< axis of the product
    bool is_broadcast = false;
  };
  std::vector<MovedBlock> moved_blocks(unsigned stage) const;
  std::uint64_t block_numbers(const MovedBlock& shifted) const;
  std::uint64_t block_bytes(const MovedBlock& shifted) const;
  /// Whether an axis is transformed by factors instead of a matrix; see factors.hpp.
  bool by_factors(unsigned axis) const { return options_.kinds[axis].by_factors(); }
  /// Number of real multiply-adds of a step's product.
  std::uint64_t multiply_adds(unsigned stage) const;

  /// A node's destination and source in a ring shift along a dimension.
  struct Neighbours {
    Rank to;
    Rank from;
  };
  Neighbours neighbours(unsigned dimension, Rank node) const;
  /// The nodes at the next place of a dimension, `to`, and at the previous place, `from`.
  Neighbours ends(unsigned dimension, Rank node) const;

 private:
  std::array<unsigned, 3> place(Rank node) const;
  Rank rank(const std::array<unsigned, 3>& place) const;
  Box box(unsigned number, Rank node) const;

  ArrayExtents size_;
  OrbitalOptions options_;
  unsigned extent_;
};

}  // namespace toroid::fft
