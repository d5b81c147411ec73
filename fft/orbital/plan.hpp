// What the orbital transform needs to know before it runs: stages, directions and layouts.
//
// P x P x P nodes (Q,R,S), an array of N x N x N elements in blocks of b = N/P per axis. With
// T = (alpha·(Q,R,S)) mod P, node (Q,R,S) has at the beginning and at the end of every stage
//
//   X0(Q,R,S)   nothing transformed: the canonical layout
//   X1(Q,R,T)   the last axis transformed, with C(S,T)
//   X2(S,R,T)   the first one too, with C(Q,S)
//   X3(S,Q,T)   all, with C(R,Q): the skewed layout
//
// Forward goes from X0 to X3, inverse from X3 to X0 with the same coordinates of the inverse's
// matrices. Each of the three stages takes P steps. In every step a node multiplies what it has and
// adds to what it has; then two of the three operands go on to neighbours:
//
//               axis   stays   goes on
//   X0 and X1     2    X0      X1 along S, C along Q
//   X1 and X2     0    C       X1 along S, X2 along Q
//   X2 and X3     1    C       X2 along Q, X3 along R
//
// Forward, everything moves by alpha's sign of that dimension, which is -1 in T: at step t a node
// deals with the blocks of T - t. Inverse is the forward transform rolled back: everything moves
// the other way. After P steps all blocks are home again.
//
// Source: Sedukhin, University of Aizu 2012-001, sections 4.1 and 4.2. Beyond it: a transform of
// its own per axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// Extents of the array.
using CubeSize = std::array<std::int64_t, 3>;

/// Of the array, named as in NumPy.
enum class ElementType : std::uint8_t { float32, float64, complex64, complex128 };
inline constexpr std::array<std::string_view, 4> kElementTypeNames = {"float32", "float64",
                                                                      "complex64", "complex128"};
constexpr bool is_complex(ElementType type) {
  return type >= ElementType::complex64;
}
constexpr std::uint64_t bytes_of(ElementType type) {
  constexpr std::array<std::uint64_t, 4> kBytes = {4, 8, 8, 16};
  return kBytes[static_cast<unsigned>(type)];
}

struct OrbitalOptions {
  std::array<TransformKind, 3> kinds{};  ///< one per axis
  Sign sign = Sign::forward;
  ElementType element = ElementType::complex128;
  std::array<int, 3> alpha = {1, 1, 1};  ///< the scheduling vector: +1 or -1 for Q, R and S
  unsigned repeat = 1;                   ///< times that the same input is transformed; at least 1
};

/// X`data` is multiplied along an axis and gives X`sum`.
struct OrbitalStage {
  unsigned data;
  unsigned sum;
  unsigned axis;

  /// Which two of the four arrays: 0 for X0 and X1.
  unsigned pair() const { return std::min(data, sum); }
};

/// Numbers of blocks along the axes.
using BlockIndex = std::array<unsigned, 3>;

/// What all nodes share: created once, used for any number of transforms.
class OrbitalPlan {
 public:
  static constexpr unsigned kStages = 3;
  /// Dimensions of the torus along which X1, X2 and X3 roll, S, Q and R; and the coefficients, Q.
  static constexpr std::array<unsigned, 4> kArrayDimensions = {0, 2, 0, 1};
  static constexpr unsigned kCoefficientsDimension = 0;
  /// What the stage between X0 and X1, X1 and X2, X2 and X3 transforms.
  static constexpr std::array<unsigned, kStages> kProductAxes = {2, 0, 1};

  /// Throws BadInput, with what would do instead, where the array is no cube, the machine no torus
  /// of P x P x P nodes (or a single one), P does not divide N, N is no power of two for wht, or
  /// the elements are real for dft.
  OrbitalPlan(const CubeSize& size, const Shape& shape, OrbitalOptions options);

  const CubeSize& size() const { return size_; }
  const OrbitalOptions& options() const { return options_; }
  unsigned extent() const { return extent_; }                    ///< P
  int block() const { return static_cast<int>(n() / extent_); }  ///< b
  OrbitalStage stage(unsigned number) const;

  /// The blocks that a node holds outside the transforms, canonical or skewed, in C order.
  BlockIndex canonical(Rank node) const { return home(0, node); }
  BlockIndex skewed(Rank node) const { return home(3, node); }
  Box input_box(Rank node) const { return box(options_.sign == Sign::forward ? 0 : 3, node); }
  Box output_box(Rank node) const { return box(options_.sign == Sign::forward ? 3 : 0, node); }

  /// The block of array X`number`, 0 to 3, that is a node's own.
  BlockIndex home(unsigned number, Rank node) const;
  /// What a stage rolls in each of its steps: a block of an array, or of the coefficients between
  /// X0 and X1, along a dimension of the torus.
  struct ShiftedBlock {
    unsigned dimension;
    bool coefficients;
  };
  std::vector<ShiftedBlock> shifted_blocks(unsigned stage) const;
  /// Of what rolls.
  std::uint64_t block_bytes(const ShiftedBlock& shifted) const;
  /// Real multiply-adds of a step's product.
  std::uint64_t multiply_adds(unsigned stage) const;

  /// Where the next block goes and where it comes from, rolling along a dimension.
  struct Neighbours {
    Rank to;
    Rank from;
  };
  Neighbours neighbours(unsigned dimension, Rank node) const;

 private:
  std::int64_t n() const { return size_[0]; }
  std::array<unsigned, 3> place(Rank node) const;
  Rank rank(const std::array<unsigned, 3>& place) const;
  Box box(unsigned number, Rank node) const;

  CubeSize size_;
  OrbitalOptions options_;
  unsigned extent_;
};

}  // namespace toroid
