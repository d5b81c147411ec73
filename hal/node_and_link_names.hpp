// Names of nodes and links, as users write them.
#pragma once

#include <string_view>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// One direction of a link, given by the node that sends over it.
struct LinkPlace {
  Rank node;
  Direction direction;
};

/// Parses a name such as "(1,2,3)". Throws BadInput if the shape has no such node.
Rank parse_node_name(const Shape& shape, std::string_view text);
/// Parses a name such as "(1,2,3)X+". Throws BadInput if the shape has no such link, or if the link
/// has failed.
LinkPlace parse_link_name(const Shape& shape, std::string_view text);

}  // namespace toroid
