// What a transform is: conventions first, then the parameters of a plan.
//
// Index order   Arrays are in C order, the last axis fastest, as in NumPy. Up to six axes.
// Sign          forward sums x[n]·exp(-2πi·kn/N) along each axis, backward with exp(+2πi·kn/N).
// Scale         None by default: backward after forward multiplies by N, the number of points of
//               the transformed array. A call with `by_n` divides its result by N, a call with
//               `by_sqrt_n` by the square root of N. `norm` chooses numpy's and scipy's scales.
// Real data     The dft takes real numbers forward and returns a half spectrum: n/2 + 1 numbers
//               along the last axis, as in numpy.fft.rfftn. backward takes the half spectrum and
//               returns real numbers. Other transforms of real data are real. Those of complex data
//               transform its real and imaginary parts.
// Layouts       Every node holds some boxes of the array. Forward leaves its result in another
//               layout than its input's; backward leads back to the input's. Boxes lie in the
//               node's memory without gaps in C order, the arrays of a batch one after the other,
//               unless the method says otherwise (NodeLayout is authoritative).
// Box cut       A cut c >= 1, which may be fractional, keeps the lowest m frequencies of every axis
//               of n points. m is n/c rounded down. These frequencies are stored in the order of a
//               spectrum of m points: 0, 1, ..., then the negative ones. Forward drops the other
//               frequencies, backward takes them as zero.
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
  volumetric,  ///< nodes hold blocks; one exchange before each axis that the machine splits
  slab,        ///< nodes hold planes; a single exchange
  orbital,     ///< blocks on a cube of nodes; matrix products, and data only goes to neighbours
  rows,        ///< nodes hold whole lines; between two axes, all nodes exchange data
};
inline constexpr std::array<std::string_view, 4> kMethodNames = {"volumetric", "slab", "orbital",
                                                                 "rows"};

/// How the products of the orbital method's stages get their blocks. The names are those of the
/// orbital report (Sedukhin, 2012), which classifies ways to multiply matrices.
enum class OrbitalVariant : std::uint8_t {
  cra,  ///< Compute-Roll-All: the orbital transform
  bcr,  ///< Broadcast-Compute-Roll: data is broadcast, coefficients are shifted; Fox's algorithm
  bbc,  ///< Broadcast-Broadcast-Compute: both are broadcast; SUMMA
};
inline constexpr std::array<std::string_view, 3> kOrbitalVariantNames = {"cra", "bcr", "bbc"};

enum class Way : std::uint8_t { forward, backward };
inline constexpr std::array<std::string_view, 2> kWayNames = {"forward", "backward"};

enum class Scale : std::uint8_t { none, by_n, by_sqrt_n };
inline constexpr std::array<std::string_view, 3> kScaleNames = {"none", "1/N", "1/sqrt(N)"};

/// The scale of both directions. All but `paper` are those of numpy.fft and scipy.fft, whose dct
/// and dst of type II are twice ours per axis. With these, backward after forward returns the
/// input. For wht and matrices they are as for the dft.
enum class Norm : std::uint8_t {
  paper,     ///< no scale: the matrices of fft/orbital/coefficients.hpp
  backward,  ///< forward as numpy and scipy do it by default, backward divided by its N
  ortho,     ///< both directions orthonormal
  forward,   ///< forward divided by N, backward not
};
inline constexpr std::array<std::string_view, 4> kNormNames = {"paper", "backward", "ortho",
                                                               "forward"};

using local::LibraryName;
/// How exchanges carry data.
enum class Layer : std::uint8_t {
  packets,          ///< active packets: each is stored in its place as it arrives
  message_passing,  ///< one blocking collective call per exchange; data is packed and unpacked
};
inline constexpr std::array<std::string_view, 2> kLayerNames = {"packets", "mpi"};

using local::Precision;
using local::Rigor;

/// Maximum number of exchanges of one stage that may be outstanding. Each takes two of a node's 240
/// handlers, or four under a policy with a window.
inline constexpr std::uint32_t kMostOutstanding = 32;

/// When the stage after an exchange in pieces starts to transform.
enum class Start : std::uint8_t {
  exchange,  ///< when everything has arrived
  lines,     ///< each row of lines (backward: each plane) as soon as all its elements have arrived
};
inline constexpr std::array<std::string_view, 2> kStartNames = {"exchange", "lines"};

/// How the computation and the exchange of the slab method overlap.
struct Overlap {
  static constexpr std::uint32_t kWindow = 16;
  /// Planes per non-blocking exchange, lowered to a divisor of a node's planes. With 0 planes there
  /// is a single exchange, when all planes are transformed.
  std::int64_t planes = 0;
  std::uint32_t window = kWindow;  ///< outstanding exchanges at most, 1 to kMostOutstanding
  /// Number of lines to transform before the node handles its packets again; 0 for all lines of a
  /// piece. In virtual time, computing itself takes no time: a piece is transformed at once, and
  /// only its cycles are split.
  std::int64_t test_interval = 0;
  /// The planes for backward; none if they are the same as for forward.
  std::optional<std::int64_t> backward_planes{};
  /// Pieces shrink towards the end: each has half of the remaining planes, at most `planes`. The
  /// last piece cannot overlap with transforms of planes, so it should be short.
  bool taper = false;
  Start start = Start::exchange;

  std::int64_t planes_of(Way way) const {
    return way == Way::forward ? planes : backward_planes.value_or(planes);
  }
  /// Sets the planes of one direction; the other direction keeps its own.
  void set_planes(Way way, std::int64_t number) {
    backward_planes = way == Way::backward ? number : planes_of(Way::backward);
    if (way == Way::forward) planes = number;
  }
};

/// The parameters of a plan. Blueprint checks them (check_description.hpp): every field must have a
/// possible value, even if the method does not use it. They must be the same on all nodes, except
/// those that concern only a node's own work: overlap.test_interval, cores, rigor, library and
/// times_packets.
struct Description {
  /// Extents, slowest axis first, each at least 1; for real data, those of the real side.
  std::vector<std::int64_t> size{};
  Method method = Method::volumetric;
  Layer layer = Layer::packets;
  Precision precision = Precision::double_;
  bool real = false;
  Norm norm = Norm::paper;
  std::int64_t batch = 1;  ///< number of arrays per call, at least 1
  /// Each rank's box in forward's input and in its output. Empty for the method's own layout. Axes
  /// that the array does not have need not be set.
  std::vector<Box> in_boxes{};
  std::vector<Box> out_boxes{};
  /// If this is set and out_boxes is empty, forward leaves its result in the layout of its input.
  bool return_to_input = false;
  double box_cut = 1;  ///< at least 1; more than 1 needs the slab method; see above
  Overlap overlap{};   ///< used by the slab method
  /// Cores of a node that share its lines in virtual time, at least 1. One of them moves the
  /// packets.
  unsigned cores = 1;
  /// The transform along each axis. `fft` and matrices need the orbital method. Real data is
  /// transformed by the dft along all axes, or along none.
  std::array<AxisTransform, kMaxAxes> kinds{};
  /// The orbital method's scheduling vector: +1 or -1 in each dimension.
  std::array<int, 3> scheduling{1, 1, 1};
  /// The axis that each stage of the orbital method transforms in a forward call: 0, 1 and 2, in
  /// any order.
  std::array<unsigned, 3> stage_axes{2, 0, 1};
  /// The orbital method's variant. The broadcast variants keep every array in the canonical layout.
  OrbitalVariant variant = OrbitalVariant::cra;

  /// Forward may leave its result with gaps between rows. The last stage can then work in place,
  /// which is faster if arrays do not fit the cache, but needs a barrier before every call.
  bool may_leave_gaps = false;
  Rigor rigor = Rigor::estimate;
  LibraryName library = local::default_library();  ///< computes the nodes' line transforms
  /// Plan::times() includes the time spent on packets. This costs one or two clock readings per
  /// batch of packets.
  bool times_packets = false;
  /// The expected direction of the first call. If the first call goes this way, it needs no barrier
  /// (unless may_leave_gaps is set).
  Way first = Way::forward;
};

}  // namespace toroid::fft
