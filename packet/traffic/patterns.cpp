#include "packet/traffic/patterns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "packet/traffic/all_to_all_sample.hpp"
#include "packet/traffic/group_traffic.hpp"
#include "packet/traffic/live_node_traffic.hpp"
#include "packet/traffic/matrix_traffic.hpp"
#include "packet/traffic/node_offset.hpp"
#include "packet/traffic/pattern_parameter.hpp"
#include "packet/traffic/permutation_traffic.hpp"
#include "packet/traffic/skewed_traffic.hpp"
#include "packet/traffic/stencil_traffic.hpp"

namespace toroid {
namespace {

using Request = TrafficRequest;
using Made = std::unique_ptr<Traffic>;

unsigned all_dimensions(const Shape& shape) {
  return (1u << shape.dims()) - 1;
}

Made group(const Request& r, unsigned inside) {
  return std::make_unique<GroupTraffic>(r.name(), r.shape, inside, r.bytes);
}
Made map(const Request& r, std::vector<Rank> to) {
  return std::make_unique<PermutationTraffic>(r.name(), std::move(to), r.bytes);
}
Made stencil(const Request& r, std::vector<Offset> offsets) {
  return std::make_unique<StencilTraffic>(r.name(), r.shape, std::move(offsets), r.bytes);
}
Made skewed(const Request& r, std::vector<std::uint64_t> to) {
  return std::make_unique<SkewedTraffic>(r.name(), std::move(to));
}

Made all_to_all(const Request& r) {
  return group(r, all_dimensions(r.shape));
}
Made lines(const Request& r) {
  return group(r, r.dimensions(1, 1));
}
Made planes(const Request& r) {
  return group(r, r.dimensions(3, 2));
}

Made uniform(const Request& r) {
  if (r.parameter.empty()) return all_to_all(r);
  const auto messages = static_cast<Rank>(r.whole_number(0, 1, 1u << 20));
  return std::make_unique<MatrixTraffic>(
      r.name(), r.shape.size(),
      MatrixTraffic::random_messages(r.shape.size(), messages, r.bytes, r.seed));
}

/// The default number of places is the longest extent, because then every distance in every
/// dimension occurs.
Made sample(const Request& r) {
  Rank longest = 1;
  for (unsigned d = 0; d < r.shape.dims(); ++d) longest = std::max(longest, r.shape.extent(d));
  const Rank most = r.shape.size() / 2;
  if (most == 0) r.refuse("needs at least 2 nodes");
  const auto count = static_cast<Rank>(r.whole_number(std::min(longest, most), 1, most));
  return std::make_unique<SampleTraffic>(r.name(), r.shape,
                                         SampleTraffic::drawn(r.shape, count, r.seed), r.bytes);
}

/// If all extents are at most 2, no message would go anywhere.
Made tornado(const Request& r) {
  unsigned longest = 0;
  for (unsigned d = 0; d < r.shape.dims(); ++d) longest = std::max(longest, r.shape.extent(d));
  if (longest < 3)
    r.refuse(fmt::format("needs an extent of at least 3, e.g. torus 3 or 4x4; {} has none",
                         r.shape.text()));
  return map(r, PermutationTraffic::tornado(r.shape));
}

/// The shape with extent b made equal to extent a.
std::string with_equal_extents(const Shape& shape, unsigned a, unsigned b) {
  std::vector<unsigned> extents;
  for (unsigned d = 0; d < shape.dims(); ++d) extents.push_back(shape.extent(d == b ? a : d));
  return shape.resized(extents).text();
}

Made transpose(const Request& r) {
  const unsigned bits = r.dimensions(1u | 1u << (r.shape.dims() - 1), 2);
  const auto a = static_cast<unsigned>(std::countr_zero(bits));
  const unsigned b = static_cast<unsigned>(std::bit_width(bits)) - 1;
  if (r.shape.extent(a) == r.shape.extent(b))
    return map(r, PermutationTraffic::transpose(r.shape, a, b));
  const bool keep_b = b == r.shape.torus_dims();  // few numbers of ranks per node are possible
  const unsigned less = r.shape.extent(a) < r.shape.extent(b) && !keep_b ? a : b;
  r.refuse(
      fmt::format("swaps {} and {}, which need equal extents; {} has {} and {}; "
                  "nearest torus that works: {}",
                  r.shape.dim_names()[a], r.shape.dim_names()[b], r.shape.text(), r.shape.extent(a),
                  r.shape.extent(b), with_equal_extents(r.shape, less, a + b - less)));
}

Made bit_complement(const Request& r) {
  return map(r, PermutationTraffic::mirror(r.shape));
}
Made neighbour(const Request& r) {
  return stencil(r, StencilTraffic::neighbours(r.shape.dims()));
}
Made halo(const Request& r) {
  return stencil(r, StencilTraffic::halo(r.shape.dims()));
}

Made roll(const Request& r) {
  const unsigned along = r.dimensions(all_dimensions(r.shape));
  for (unsigned d = 0; d < r.shape.dims(); ++d)
    if ((along >> d & 1u) != 0 && !r.shape.wraps(d))
      r.refuse(fmt::format("needs rings; dimension {} of {} is a mesh", r.shape.dim_names()[d],
                           r.shape.text()));
  return stencil(r, StencilTraffic::rolls(r.shape.dims(), along));
}

Rank middle(const Shape& shape) {
  Coord at;
  for (unsigned d = 0; d < shape.dims(); ++d)
    at[d] = static_cast<std::uint8_t>(shape.extent(d) / 2);
  return shape.rank(at);
}

Made hotspot(const Request& r) {
  return skewed(
      r, SkewedTraffic::hotspot(r.shape.size(), middle(r.shape), r.number(0.1, 0, 1), r.bytes));
}
Made incast(const Request& r) {
  const auto sink = r.whole_number(middle(r.shape), 0, r.shape.size() - 1);
  return skewed(r, SkewedTraffic::incast(r.shape.size(), static_cast<Rank>(sink), r.bytes));
}
Made permutation(const Request& r) {
  return map(r, PermutationTraffic::cycle(r.shape.size(), r.seed));
}
Made zipf(const Request& r) {
  return skewed(r, SkewedTraffic::zipf(r.shape.size(), r.number(1, 0, 8), r.bytes, r.seed));
}

constexpr std::string_view kDallyTowles =
    "Dally and Towles, Principles and Practices of Interconnection Networks (2004), table 3.1";

struct Kind {
  TrafficInfo info;
  Made (*make)(const Request&);
};

constexpr std::array kKinds = {
    Kind{{"all-to-all", "", "every node sends a message to every other", "the patent, FIG. 9"},
         all_to_all},
    Kind{{"lines", "[X]", "all-to-all in every line along a dimension",
          "Eleftheriou et al. (2005): a phase of the volumetric FFT"},
         lines},
    Kind{{"planes", "[XY]", "all-to-all in every plane of two dimensions",
          "Eleftheriou et al. (2005): a phase of the volumetric FFT"},
         planes},
    Kind{{"uniform", "[N]",
          "each node sends N messages to nodes drawn from all others; without N, the expected "
          "matrix of such draws, which is an all-to-all",
          kDallyTowles},
         uniform},
    Kind{{"sample", "[N]",
          "a sample of the all-to-all: every node sends to the same N places relative to itself; "
          "every distance in every dimension occurs equally often",
          "toroid's own, by a Latin square: McKay et al., Technometrics 21 (1979)"},
         sample},
    Kind{{"tornado", "", "sends each coordinate x to (x + ceil(k/2) - 1) mod k", kDallyTowles},
         tornado},
    Kind{{"transpose", "[XZ]",
          "swaps two coordinates of equal extent (default: the first and the last)", kDallyTowles},
         transpose},
    Kind{
        {"bit-complement", "",
         "sends each coordinate x to k-1-x: inverts all bits if k is a power of two", kDallyTowles},
        bit_complement},
    Kind{{"neighbour", "", "sends a message over each link: to the nearest 2 nodes per dimension",
          "the six faces of a finite-difference stencil"},
         neighbour},
    Kind{{"halo", "", "sends to all 3^d - 1 surrounding nodes: 26 in three dimensions",
          "the faces, edges and corners of a stencil's halo"},
         halo},
    Kind{{"hotspot", "[SHARE]",
          "a share of all bytes (default: 0.1) goes to the node in the middle, the rest to all "
          "nodes",
          "Pfister and Norton, IEEE Transactions on Computers C-34 (1985)"},
         hotspot},
    Kind{{"incast", "[RANK]", "all nodes send to one node (default: the one in the middle)",
          "Phanishayee et al., FAST (2008); a gather"},
         incast},
    Kind{{"permutation", "", "a seeded random cycle through all nodes: each sends to the next",
          kDallyTowles},
         permutation},
    Kind{{"zipf", "[S]",
          "all-to-all in which the i-th node of a seeded order receives in proportion to i^-S "
          "(default S: 1)",
          "Zipf, Human Behavior and the Principle of Least Effort (1949)"},
         zipf},
    Kind{{"roll", "[XYZ]",
          "sends to the next node up along each given dimension (default: all), one message per "
          "operand of the orbital transform",
          "Sedukhin, University of Aizu 2012-001: the orbital transform"},
         roll},
};

const std::array kInfos = [] {
  std::array<TrafficInfo, kKinds.size()> infos;
  std::ranges::transform(kKinds, infos.begin(), &Kind::info);
  return infos;
}();

const Kind& kind_of(std::string_view name) {
  std::string known;
  for (const Kind& kind : kKinds) {
    if (kind.info.name == name) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.info.name);
  }
  throw BadInput(one_line(fmt::format("unknown traffic '{}'; known: {}", name, known)));
}

}  // namespace

std::span<const TrafficInfo> traffic_names() {
  return kInfos;
}

std::unique_ptr<Traffic> make_traffic(std::string_view name, const Shape& shape,
                                      std::uint64_t bytes, std::uint64_t seed) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const Kind& kind = kind_of(name.substr(0, colon));
  const std::string_view parameter = name.substr(std::min(colon + 1, name.size()));
  const Request request{name, parameter, shape, bytes, seed};
  if (colon < name.size() && parameter.empty())
    request.refuse("expected a parameter after the colon");
  if (!parameter.empty() && kind.info.parameter.empty()) request.refuse("takes no parameter");
  Made traffic = kind.make(request);
  if (shape.failures() == nullptr || shape.failures()->living() == shape.size()) return traffic;
  return std::make_unique<MaskedTraffic>(shape, std::move(traffic));
}

}  // namespace toroid
