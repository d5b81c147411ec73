#include "tools/options/table_policy.hpp"

#include <fmt/core.h>

#include <utility>

#include "hal/check.hpp"

namespace toroid {

TablePolicy::TablePolicy(PolicyData data)
    : data_(std::move(data)),
      has_order_(data_.tables && data_.tables->has_order()),
      has_relays_(data_.tables && data_.tables->has_relays()) {}

SendOrder TablePolicy::order(const Visitor& visitor) const {
  if (!has_order_) return data_.base->order(visitor);
  check_shape(visitor.shape);
  return data_.tables->order(visitor.self);
}

unsigned TablePolicy::stages(const Shape& shape) const {
  if (data_.tables) check_shape(shape);
  return has_relays_ ? 2 : data_.base->stages(shape);
}

Rank TablePolicy::relay(const Shape& shape, const Waypoint& packet) const {
  if (!has_relays_) return data_.base->relay(shape, packet);
  return packet.stage > 0 ? packet.to : data_.tables->relay(packet.here, packet.to);
}

bool TablePolicy::keeps_to_shortest_ways(const Shape& shape) const {
  return has_relays_ ? data_.tables->relays_keep_to_shortest_ways()
                     : data_.base->keeps_to_shortest_ways(shape);
}

/// Links and nodes that have failed are no other shape. A group of one node sends nothing.
void TablePolicy::check_shape(const Shape& shape) const {
  const Shape& tables = data_.tables->shape();
  if (shape.size() == 1 || shape.text() == tables.text()) return;
  throw BadInput(fmt::format("policy {}: the tables of {} are for torus {}, and {} exchanges here",
                             data_.name, data_.path, tables.text(), shape.text()));
}

}  // namespace toroid
