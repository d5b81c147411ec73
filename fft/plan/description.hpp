// What a transform is: conventions first, then the parameters of a plan.
//
// Index order   Arrays are in C order, the last axis fastest, as in NumPy. Up to six axes.
// Sign          forward sums x[n]·exp(-2πi·kn/N) along each axis, backward with exp(+2πi·kn/N).
// Scale         None unless asked for: backward after forward multiplies by N, the number of
//               points of the array that was transformed. `by_n` and `by_sqrt_n` divide the result
//               of the call that asks.
// Real data     forward takes real numbers and gives the half spectrum of the last axis, n/2 + 1
//               numbers, as numpy.fft.rfftn does; backward takes that and gives real numbers.
// Layouts       Every node holds some boxes of the array. Forward leaves the result in another
//               layout than it found the data in; backward leads from that one back. Boxes lie in
//               the node's memory without gaps in C order, arrays of a batch one behind the other,
//               unless the method says otherwise (NodeLayout is the truth).
// Box cut       A cut c >= 1, which need not be whole, keeps of every axis of n points the lowest
//               m frequencies, n/c rounded down, in the order of a spectrum of m points: 0, 1,
//               ..., then the negative ones. Forward drops the others, backward takes them for
//               zero.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {

enum class Method : std::uint8_t {
  volumetric,  ///< blocks; an exchange before each axis that the machine splits
  slab,        ///< planes; one exchange
  orbital,     ///< blocks on a cube of nodes; matrix products and nearest neighbours only
  rows,        ///< whole lines; an exchange of the whole machine between axes
};
inline constexpr std::array<std::string_view, 4> kMethodNames = {"volumetric", "slab", "orbital",
                                                                 "rows"};

/// How the products of the orbital method's stages get their blocks, as its report classifies the
/// ways to multiply matrices.
enum class OrbitalVariant : std::uint8_t {
  cra,  ///< Compute-Roll-All: the orbital transform
  bcr,  ///< Broadcast-Compute-Roll: data are broadcast, coefficients shifted; Fox's
  bbc,  ///< Broadcast-Broadcast-Compute: both are broadcast; SUMMA
};
inline constexpr std::array<std::string_view, 3> kOrbitalVariantNames = {"cra", "bcr", "bbc"};

enum class Way : std::uint8_t { forward, backward };

enum class Scale : std::uint8_t { none, by_n, by_sqrt_n };
inline constexpr std::array<std::string_view, 3> kScaleNames = {"none", "1/N", "1/sqrt(N)"};

using local::LibraryName;
/// What carries the exchanges.
enum class Layer : std::uint8_t {
  packets,          ///< active packets: each is stored where it belongs when it arrives
  message_passing,  ///< one blocking collective call per exchange; data is packed and unpacked
};
inline constexpr std::array<std::string_view, 2> kLayerNames = {"packets", "mpi"};

using local::Precision;
using local::Rigor;

/// Exchanges of one stage that may be outstanding: each takes two of a node's 240 handlers.
inline constexpr std::uint32_t kMostOutstanding = 32;

/// When the stage after an exchange in pieces begins to transform.
enum class Start : std::uint8_t {
  exchange,  ///< when everything has come
  lines,     ///< a row of lines (backward: a plane) when all of its own elements have come
};
inline constexpr std::array<std::string_view, 2> kStartNames = {"exchange", "lines"};

/// How the computation and the exchange of the slab method overlap.
struct Overlap {
  static constexpr std::uint32_t kWindow = 16;
  /// Planes that one non-blocking exchange carries; lowered to a divisor of the planes of a node.
  /// 0: a single exchange when all planes are done.
  std::int64_t planes = 0;
  std::uint32_t window = kWindow;  ///< exchanges that may be outstanding, 1 to kMostOutstanding
  /// Lines that are transformed before the node handles its packets again. 0: all of a piece. In
  /// virtual time, in which a kernel takes none, a piece is transformed at once and only its cycles
  /// are cut.
  std::int64_t test_interval = 0;
  /// As `planes`, for backward; none: as many as forward.
  std::optional<std::int64_t> backward_planes{};
  /// Pieces shrink towards the end: each is half of the planes that are left, `planes` at most.
  /// What comes last cannot overlap with the transforms of planes.
  bool taper = false;
  Start start = Start::exchange;

  std::int64_t planes_of(Way way) const {
    return way == Way::forward ? planes : backward_planes.value_or(planes);
  }
  /// Of one direction; the other one keeps its own.
  void set_planes(Way way, std::int64_t number) {
    backward_planes = way == Way::backward ? number : planes_of(Way::backward);
    if (way == Way::forward) planes = number;
  }
};

/// The parameters of a plan. Blueprint checks them.
struct Description {
  /// Extents, slowest axis first; the real side's, if the data is real.
  std::vector<std::int64_t> size{};
  Method method = Method::volumetric;
  Layer layer = Layer::packets;
  Precision precision = Precision::double_;
  bool real = false;
  std::int64_t batch = 1;  ///< arrays per call
  /// The box of each rank in what forward takes, and in what it gives; empty: as the method likes
  /// it best. Axes that the array does not have need not be set.
  std::vector<Box> in_boxes{};
  std::vector<Box> out_boxes{};
  /// Without out_boxes: forward leaves its result in the layout of its input.
  bool return_to_input = false;
  double box_cut = 1;  ///< for the slab method; see above
  Overlap overlap{};   ///< for the slab method
  /// Cores of a node that share out its lines in virtual time. One of them moves the packets.
  unsigned cores = 1;
  /// The transform along each axis, for the orbital method; the others take the DFT alone.
  std::array<AxisTransform, 3> kinds{};
  /// The orbital method's scheduling vector, +1 or -1 in each dimension.
  std::array<int, 3> scheduling{1, 1, 1};
  /// The axis that each of the orbital method's stages transforms, forward.
  std::array<unsigned, 3> stage_axes{2, 0, 1};
  /// By broadcasts, the orbital method's rivals, every array is in the canonical layout.
  OrbitalVariant variant = OrbitalVariant::cra;

  /// Forward may leave its result with gaps between rows. The last stage can then work in place, at
  /// the price of a barrier before every call: faster if arrays do not fit the cache.
  bool may_leave_gaps = false;
  Rigor rigor = Rigor::estimate;
  LibraryName library = local::default_library();  ///< whose line transforms the nodes compute
  /// Plan::times() tell what packets take, too: one or two looks at the clock per batch of packets.
  bool times_packets = false;
  /// The direction of the first call, which then needs no barrier.
  Way first = Way::forward;
};

}  // namespace toroid::fft
