#include "hal/shape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hal/failures.hpp"
#include "hal/parse_number.hpp"
#include "hal/route_table.hpp"
#include "hal/twisted_torus_paths.hpp"

namespace toroid {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw BadInput(one_line(
      fmt::format("'{}' is not a torus: {}; expected 1 to {} extents of 1 to {} as in 8x8x8, "
                  "8x8x4m, twisted 8x4@YX4, or 8x8x8x2t with 2 ranks per node",
                  shortened(text), why, kMaxDims, kMaxExtent)));
}

struct Extent {
  unsigned value;
  bool mesh;
};

Extent parse_extent(std::string_view whole, std::string_view part) {
  const bool mesh = part.ends_with('m');
  if (mesh) part.remove_suffix(1);
  const auto extent = parse_number<unsigned>(part);
  if (!extent) refuse(whole, fmt::format("'{}' is not a whole number", shortened(part)));
  if (*extent == 0) refuse(whole, "an extent of 0 holds no node");
  if (*extent > kMaxExtent) refuse(whole, fmt::format("extent {} is too large", *extent));
  return {*extent, mesh};
}

/// Takes "x2t" from the end of the extents: the number of ranks per node.
NodeRanks take_ranks(std::string_view whole, std::string_view& extents) {
  if (!extents.ends_with('t')) return NodeRanks();
  const std::size_t x = extents.rfind('x');
  if (x == std::string_view::npos) refuse(whole, "a torus must come before the ranks per node");
  std::string_view number = extents.substr(x + 1);
  number.remove_suffix(1);
  const unsigned ranks = parse_number<unsigned>(number).value_or(0);
  if (ranks == 0 || ranks > NodeRanks::kMost || !std::has_single_bit(ranks))
    refuse(whole, fmt::format("a node has 1, 2 or 4 ranks, not '{}'", shortened(number)));
  if (ranks > 1 && extents.size() < whole.size())
    refuse(whole, "a node of a twisted torus has one rank");
  extents = extents.substr(0, x);
  return NodeRanks(ranks);
}

}  // namespace

Shape Shape::parse(std::string_view text, bool mesh) {
  Shape shape;
  const std::size_t twists = std::min(text.find('@'), text.size());
  std::string_view extents = text.substr(0, twists);
  const NodeRanks ranks = take_ranks(text, extents);
  for (std::size_t begin = 0; begin <= extents.size();) {
    const std::size_t end = std::min(extents.find('x', begin), extents.size());
    const Extent extent = parse_extent(text, extents.substr(begin, end - begin));
    if (shape.dims_ == kMaxDims) refuse(text, "too many dimensions");
    if (shape.size_ > (1u << 24) / extent.value) refuse(text, "more than 16777216 nodes");
    shape.append(extent.value, !mesh && !extent.mesh);
    begin = end + 1;
  }
  if (ranks.are_shared()) shape.append_ranks(text, ranks);
  if (twists == text.size()) {
    shape.routes_ = std::make_shared<RouteTable>(shape);
    return shape;
  }
  for (std::size_t begin = twists; begin < text.size();) {
    const std::size_t end = std::min(text.find('@', begin + 1), text.size());
    shape.add_twist(text, text.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  shape.check_twists(text);
  shape.ways_ = std::make_shared<ShortestWays>(shape);
  return shape;
}

void Shape::add_twist(std::string_view whole, std::string_view text) {
  const std::string names = dim_names();
  const std::size_t round = text.empty() ? dims_ : names.find(text[0]);
  const std::size_t along = text.size() < 2 ? dims_ : names.find(text[1]);
  if (round >= dims_ || along >= dims_ || round == along)
    refuse(whole, fmt::format("twist '{}' does not name two of the dimensions {}", shortened(text),
                              names));
  const unsigned shift = parse_number<unsigned>(text.substr(2)).value_or(0);
  if (shift == 0 || shift >= extent_[along])
    refuse(whole, fmt::format("twist '{}' does not shift by 1 to {}", shortened(text),
                              extent_[along] - 1));
  if (twist_[round][along] != 0)
    refuse(whole, fmt::format("twist '{}' repeats an earlier one", shortened(text)));
  twist_[round][along] = static_cast<std::uint8_t>(shift);
}

/// Refuses twists together with mesh dimensions, twists of a dimension of extent 1, and twists that
/// shift along a twisted dimension. If twists shifted along twisted dimensions, the end of a path
/// would depend on the order in which it goes round the dimensions.
void Shape::check_twists(std::string_view whole) const {
  for (unsigned d = 0; d < dims_; ++d) {
    if (!wraps_[d]) refuse(whole, "a twisted torus cannot have mesh dimensions");
    bool shifts = false;
    bool is_shifted_along = false;
    for (unsigned e = 0; e < dims_; ++e) {
      shifts |= twist_[d][e] != 0;
      is_shifted_along |= twist_[e][d] != 0;
    }
    if (shifts && extent_[d] == 1)
      refuse(whole, fmt::format("{} has extent 1 and cannot be twisted", kDimNames[d]));
    if (shifts && is_shifted_along)
      refuse(whole, fmt::format("{} is twisted, so no twist can shift along it", kDimNames[d]));
  }
}

bool Shape::operator==(const Shape& other) const {
  return dims_ == other.dims_ && extent_ == other.extent_ && wraps_ == other.wraps_ &&
         has_processors_ == other.has_processors_ && machine_ranks_ == other.machine_ranks_ &&
         twist_ == other.twist_ && failures_ == other.failures_;
}

Rank Shape::offset(const Coord& from, const Coord& to) const {
  std::array<unsigned, kMaxDims> at{};  // adding extents keeps everything at or above 0
  for (unsigned d = 0; d < dims_; ++d) {
    TOROID_CHECK(wraps_[d]);
    at[d] += to[d] + extent_[d] - from[d];
  }
  for (unsigned d = 0; d < dims_; ++d)
    for (unsigned e = 0; to[d] < from[d] && e < dims_; ++e)
      at[e] += extent_[e] - twist_[d][e];  // the extent added to d is a round: undo its twist
  Rank rank = 0;
  for (unsigned d = 0; d < dims_; ++d) rank = rank * extent_[d] + at[d] % extent_[d];
  return rank;
}

void Shape::append(unsigned extent, bool wraps) {
  extent_[dims_] = static_cast<std::uint16_t>(extent);
  reciprocal_[dims_] = (kOne + extent - 1) / extent;
  wraps_[dims_] = wraps;
  ++dims_;
  size_ *= extent;
}

/// The dimension T is a line of ranks, like that of a mesh.
void Shape::append_ranks(std::string_view whole, NodeRanks ranks) {
  if (dims_ == kMaxDims)
    refuse(whole, fmt::format("with several ranks per node, it may have {} extents", kMaxDims - 1));
  if (size_ > (1u << 24) / ranks.per_node()) refuse(whole, "more than 16777216 ranks");
  append(ranks.per_node(), false);
  has_processors_ = true;
  ranks_ = ranks;
  machine_ranks_ = ranks.per_node();
}

Shape Shape::torus() const {
  if (!has_processors_) return *this;
  Shape torus;
  for (unsigned d = 0; d < torus_dims(); ++d) torus.append(extent_[d], wraps_[d]);
  torus.machine_ranks_ = machine_ranks_;
  return torus;
}

/// Assembles the bytes in a register. If they were stored one by one, a load of all of them
/// together would wait until all stores are done. REQUIRES: a little-endian processor.
Coord Shape::coord(Rank rank) const {
  TOROID_CHECK_LT(rank, size_);
  std::uint64_t packed = 0;
  for_each_coordinate(rank, [&](unsigned d, unsigned at) { packed |= std::uint64_t{at} << 8 * d; });
  struct Padded {
    Coord coord;
    std::array<std::uint8_t, sizeof packed - sizeof(Coord)> padding;
  };
  static_assert(std::endian::native == std::endian::little);
  return std::bit_cast<Padded>(packed).coord;
}

Rank Shape::rank(const Coord& coord) const {
  Rank rank = 0;
  for (unsigned d = 0; d < dims_; ++d) rank = rank * extent_[d] + coord[d];
  return rank;
}

std::optional<Rank> Shape::neighbour(Rank rank, Direction direction) const {
  const unsigned d = direction.dim();
  if (d >= torus_dims() || extent_[d] == 1) return std::nullopt;
  if (failures_ && !failures_->works(rank, direction)) return std::nullopt;
  Coord coord = this->coord(rank);
  const bool at_edge = coord[d] == (direction.is_minus() ? 0u : extent_[d] - 1u);
  if (at_edge && !wraps_[d]) return std::nullopt;
  const unsigned step = direction.is_minus() ? extent_[d] - 1u : 1u;
  coord[d] = static_cast<std::uint8_t>((coord[d] + step) % extent_[d]);
  for (unsigned e = 0; at_edge && e < dims_; ++e) {
    const unsigned shift = direction.is_minus() ? extent_[e] - twist_[d][e] : twist_[d][e];
    coord[e] = static_cast<std::uint8_t>((coord[e] + shift) % extent_[e]);
  }
  return this->rank(coord);
}

Shape Shape::with_failures(const FailureList& list) const {
  return with_failures(std::make_shared<Failures>(*this, list));
}

Shape Shape::with_failures(std::shared_ptr<const Failures> failures) const {
  if (failures != nullptr && machine_ranks_ > 1)
    throw BadInput(
        fmt::format("torus {}: links and nodes can fail only if nodes have one rank each", text()));
  Shape failed = *this;
  failed.failures_ = std::move(failures);
  return failed;
}

Shape Shape::without_failures() const {
  return with_failures(std::shared_ptr<const Failures>());
}

bool Shape::is_alive(Rank node) const {
  return !failures_ || failures_->is_alive(node);
}

Shape Shape::slice(unsigned first, unsigned last) const {
  if (first == 0 && last >= dims_) return *this;
  std::array<unsigned, kMaxDims> extents{};
  for (unsigned d = 0; d < dims_; ++d) extents[d] = d >= first && d < last ? extent_[d] : 1;
  return resized(std::span(extents).first(dims_));
}

Shape Shape::resized(std::span<const unsigned> extents) const {
  TOROID_CHECK_EQ(extents.size(), dims_);
  Shape other;
  for (unsigned d = 0; d < dims_; ++d) other.append(extents[d], wraps_[d]);
  other.has_processors_ = has_processors_;
  if (has_processors_) other.ranks_ = NodeRanks(extents[dims_ - 1]);
  other.machine_ranks_ = machine_ranks_;
  return other;
}

std::string Shape::dim_names() const {
  std::string names(kDimNames.data(), torus_dims());
  return has_processors_ ? names + 'T' : names;
}

std::string Shape::text() const {
  std::string text;
  for (unsigned d = 0; d < torus_dims(); ++d)
    text += fmt::format("{}{}{}", d == 0 ? "" : "x", extent_[d], wraps_[d] ? "" : "m");
  if (has_processors_) text += fmt::format("x{}t", extent_[dims_ - 1]);
  for (unsigned d = 0; d < dims_; ++d)
    for (unsigned e = 0; e < dims_; ++e)
      if (twist_[d][e] != 0)
        text += fmt::format("@{}{}{}", kDimNames[d], kDimNames[e], twist_[d][e]);
  return text;
}

std::string Shape::coord_text(Rank rank) const {
  const Coord coord = this->coord(rank);
  std::string text = "(";
  for (unsigned d = 0; d < dims_; ++d) text += fmt::format("{}{}", d == 0 ? "" : ",", coord[d]);
  return text + ")";
}

}  // namespace toroid
