#include "hal/shape.hpp"

#include <charconv>

#include "hal/check.hpp"

namespace toroid {
namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw BadInput(fmt::format(
      "'{}' is not a torus: {}; expected 1 to {} extents of 1 to {} as in 8x8x8 or 8x8x4m", text,
      why, kMaxDims, kMaxExtent));
}

struct Extent {
  unsigned value;
  bool mesh;
};

Extent parse_extent(std::string_view whole, std::string_view part) {
  Extent extent{0, !part.empty() && part.back() == 'm'};
  if (extent.mesh) part.remove_suffix(1);
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), extent.value);
  if (error != std::errc() || end != part.data() + part.size() || part.empty())
    refuse(whole, fmt::format("'{}' is not a whole number", part));
  if (extent.value == 0) refuse(whole, "an extent of 0 holds no node");
  if (extent.value > kMaxExtent) refuse(whole, fmt::format("extent {} is too large", extent.value));
  return extent;
}

}  // namespace

Shape Shape::parse(std::string_view text, bool mesh) {
  Shape shape;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const Extent extent = parse_extent(text, text.substr(begin, end - begin));
    if (shape.dims_ == kMaxDims) refuse(text, "too many dimensions");
    if (shape.size_ > (1u << 24) / extent.value) refuse(text, "more than 16777216 nodes");
    shape.append(extent.value, !mesh && !extent.mesh);
    begin = end + 1;
  }
  return shape;
}

void Shape::append(unsigned extent, bool wraps) {
  extent_[dims_] = static_cast<std::uint16_t>(extent);
  reciprocal_[dims_] = (kOne + extent - 1) / extent;
  wraps_[dims_] = wraps;
  ++dims_;
  size_ *= extent;
}

Coord Shape::coord(Rank rank) const {
  Coord coord;
  for (unsigned d = dims_; d-- > 0;) {
    const auto quotient = static_cast<Rank>(rank * reciprocal_[d] >> kReciprocalBits);
    coord[d] = static_cast<std::uint8_t>(rank - quotient * extent_[d]);
    rank = quotient;
  }
  return coord;
}

Rank Shape::rank(const Coord& coord) const {
  Rank rank = 0;
  for (unsigned d = 0; d < dims_; ++d) rank = rank * extent_[d] + coord[d];
  return rank;
}

std::optional<Rank> Shape::neighbour(Rank rank, Direction direction) const {
  const unsigned d = direction.dim();
  if (d >= dims_ || extent_[d] == 1) return std::nullopt;
  Coord coord = this->coord(rank);
  const bool at_edge = coord[d] == (direction.is_minus() ? 0u : extent_[d] - 1u);
  if (at_edge && !wraps_[d]) return std::nullopt;
  const unsigned step = direction.is_minus() ? extent_[d] - 1u : 1u;
  coord[d] = static_cast<std::uint8_t>((coord[d] + step) % extent_[d]);
  return this->rank(coord);
}

Shape Shape::slice(unsigned first, unsigned last) const {
  Shape sliced;
  for (unsigned d = 0; d < dims_; ++d)
    sliced.append(d >= first && d < last ? extent_[d] : 1, wraps_[d]);
  return sliced;
}

std::string Shape::text() const {
  std::string text;
  for (unsigned d = 0; d < dims_; ++d)
    text += fmt::format("{}{}{}", d == 0 ? "" : "x", extent_[d], wraps_[d] ? "" : "m");
  return text;
}

std::string Shape::coord_text(Rank rank) const {
  const Coord coord = this->coord(rank);
  std::string text = "(";
  for (unsigned d = 0; d < dims_; ++d) text += fmt::format("{}{}", d == 0 ? "" : ",", coord[d]);
  return text + ")";
}

}  // namespace toroid
