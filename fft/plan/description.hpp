// What a transform is: conventions first, then the parameters of a plan.
//
// Index order   Arrays are in C order, the last axis fastest, as in NumPy. Up to six axes.
// Sign          forward sums x[n]·exp(-2πi·kn/N) along each axis, backward with exp(+2πi·kn/N).
// Scale         None unless asked for: backward after forward multiplies by N, the number of
//               points of the array that was transformed. `by_n` and `by_sqrt_n` divide the result
//               of the call that asks.
// Real data     forward takes real numbers and gives the half spectrum of the last axis, n/2 + 1
//               numbers, as numpy.fft.rfftn does; backward takes that and gives real numbers.
// Layouts       Every node holds some boxes of the array; forward leaves the result in another
//               layout than it found the data in, from which backward leads back. Boxes lie in the
//               node's memory without gaps in C order, arrays of a batch one behind the other,
//               unless the method says otherwise (NodeLayout is the truth).
// Box cut       A cut c keeps, of every axis of n points, the n/c lowest frequencies, in the order
//               of a spectrum of n/c points: 0, 1, ..., then the negative ones. Forward drops the
//               others, backward takes them for zero.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid {

enum class Method : std::uint8_t {
  volumetric,  ///< blocks; an exchange before each axis that the machine splits
  slab,        ///< planes; one exchange
  orbital,     ///< blocks on a cube of nodes; matrix products and nearest neighbours only
  rows,        ///< whole lines; an exchange of the whole machine between axes
};
inline constexpr std::array<std::string_view, 4> kMethodNames = {"volumetric", "slab", "orbital",
                                                                 "rows"};

enum class Way : std::uint8_t { forward, backward };

enum class Scale : std::uint8_t { none, by_n, by_sqrt_n };
inline constexpr std::array<std::string_view, 3> kScaleNames = {"none", "1/N", "1/sqrt(N)"};

using local::Precision;
using local::Rigor;

/// Each needs two handlers of the 240 that a node has.
inline constexpr std::uint32_t kMostOutstanding = 32;

/// How the slab's exchange follows its planes.
struct Overlap {
  static constexpr std::uint32_t kWindow = 16;
  /// Planes collected per non-blocking exchange; lowered to a divisor of the planes of a node. 0:
  /// one exchange when all planes are done.
  std::int64_t planes = 0;
  std::uint32_t window = kWindow;  ///< exchanges that may be outstanding, 1 to kMostOutstanding
  /// Lines that are transformed between two looks at the network; 0: as many as a piece has.
  std::int64_t test_interval = 0;
};

struct Description {
  std::vector<std::int64_t>
      size{};  ///< extents, slowest first; of the real side where data is real
  Method method = Method::volumetric;
  Precision precision = Precision::double_;
  bool real = false;
  std::int64_t batch = 1;  ///< arrays per call
  /// By rank; empty: as the method likes it best. Of the side that forward takes, and gives. Axes
  /// that the array does not have need not be set.
  std::vector<Box> in_boxes{};
  std::vector<Box> out_boxes{};
  /// Without out_boxes: forward's result in the layout of what it took.
  bool return_to_input = false;
  std::int64_t box_cut = 1;  ///< of the slab
  Overlap overlap{};         ///< of the slab
  /// Of the orbital method, axis by axis; the others take the DFT alone.
  std::array<TransformKind, 3> kinds{};
  std::array<int, 3> scheduling{1, 1, 1};  ///< its vector, of +1 and -1

  /// Forward may leave its result with gaps between rows, where the last stage can then work in
  /// place, and every call begins with a barrier: faster where arrays do not fit the cache.
  bool may_leave_gaps = false;
  Rigor rigor = Rigor::estimate;
  std::uint32_t packets_per_visit = 1;  ///< the patent's b
  /// What the first call asks for: it needs no barrier.
  Way first = Way::forward;
};

}  // namespace toroid
