// Nodes and links of a machine as users name them.
#pragma once

#include <string_view>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// One direction of a link, at its sender.
struct LinkPlace {
  Rank node;
  Direction direction;
};

/// "(1,2,3)". Throws BadInput where the shape has no such node.
Rank parse_node_name(const Shape& shape, std::string_view text);
/// "(1,2,3)X+". Throws BadInput where the shape has no such link, or it has failed.
LinkPlace parse_link_name(const Shape& shape, std::string_view text);

}  // namespace toroid
