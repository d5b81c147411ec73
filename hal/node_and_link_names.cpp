#include "hal/node_and_link_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// The message gives one link as an example: that from the last node to the one before it, which
/// also exists on a mesh.
[[noreturn]] void refuse_place(const Shape& shape, std::string_view text, std::string_view what) {
  const bool is_node = what == "node";
  throw BadInput(fmt::format("'{}' is not a {} of torus {}; expected {}{}{}{}", shortened(text),
                             what, shape.text(),
                             is_node ? "coordinates from " : "a node and a direction as in ",
                             is_node ? shape.coord_text(0) + " to " : "",
                             shape.coord_text(shape.size() - 1), is_node ? "" : "X-"));
}

/// Parses a name such as "(1,2,3)". None if it is not the name of a node of the shape.
std::optional<Rank> parse_node(const Shape& shape, std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  Coord coord;
  for (unsigned d = 0; d < shape.dims(); ++d) {
    unsigned value = 0;
    const auto [read, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value >= shape.extent(d)) return std::nullopt;
    if ((read == end) != (d + 1 == shape.dims()) || (read != end && *read != ','))
      return std::nullopt;
    coord[d] = static_cast<std::uint8_t>(value);
    at = read + 1;
  }
  return shape.rank(coord);
}

}  // namespace

Rank parse_node_name(const Shape& shape, std::string_view text) {
  const auto node = parse_node(shape, text);
  if (!node) refuse_place(shape, text, "node");
  return *node;
}

LinkPlace parse_link_name(const Shape& shape, std::string_view text) {
  const std::size_t end = std::min(text.find(')'), text.size() - 1) + 1;
  const auto node = parse_node(shape, text.substr(0, end));
  const auto link = Direction::named(text.substr(end), shape.links());
  if (!node || !link || !shape.neighbour(*node, *link)) refuse_place(shape, text, "link");
  return {*node, *link};
}

}  // namespace toroid
