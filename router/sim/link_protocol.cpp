#include "router/sim/link_protocol.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

LinkProtocol::LinkProtocol(const Shape& shape, const Machine& machine,
                           const RoutingOptions& options, Range block)
    : shape_(shape.without_failures()),
      degree_(shape.links()),
      lines_per_node_(degree_ <= kRow ? 1 : 2),
      block_(block),
      timeout_(machine.acknowledgement_cycles()) {
  if (!options.link_errors.are_checked()) return;
  for (unsigned c = 1; c <= kMaxChunks; ++c)
    wire_cycles_[c] = machine.wire_cycles(machine.wire_bytes(c));
  lines_.resize(std::size_t{block.count} * lines_per_node_);
  const std::vector<double> rates = link_error_rates(shape, options.link_errors);
  const std::size_t first = std::size_t{block.first} * degree_;
  for (std::size_t l = first; l < first + std::size_t{block.count} * degree_; ++l)
    links_.push_back({.draw = LinkFaultDraw(options.link_errors, rates[l], options.link_seed, l)});
}

/// Some of the sound transmissions before the next fault go into the line. False: there are none.
bool LinkProtocol::take_sound(Rank node, unsigned l) {
  Link& link = this->link(node, l);
  if (link.sound == 0) link.sound = link.draw.take_sound();
  const auto most = std::min<std::uint64_t>(link.sound, std::numeric_limits<std::uint16_t>::max());
  if (link.sound != LinkFaultDraw::kNever) link.sound -= most;
  line(node, l).sound[in_line(l)] = static_cast<std::uint16_t>(most);
  return most > 0;
}

Tick LinkProtocol::begin_unsound(Rank node, unsigned l, unsigned chunks) {
  Tick held = 0;
  while (!take_sound(node, l))
    held += befall(node, l, link(node, l).draw.fault(), wire_cycles_[chunks]);
  --line(node, l).sound[in_line(l)];
  return held;
}

/// Returns for how long a fault holds the link. A packet that overtakes another comes out of order:
/// it is refused like one behind a loss.
Tick LinkProtocol::befall(Rank node, unsigned l, LinkFault fault, Tick wire) {
  Link& link = this->link(node, l);
  if (fault == LinkFault::silent) {
    line(node, l).sent[in_line(l)] ^= 1u;
    return 0;
  }
  if (fault == LinkFault::delay) return timeout_ / 2;
  ++link.errors;
  if (fault == LinkFault::duplicate) return wire;
  ++link.repeats;
  return wire + timeout_;
}

void LinkProtocol::add_to(std::vector<LinkHealth>& health) const {
  health.resize(std::size_t{shape_.size()} * degree_);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto node = static_cast<Rank>(i / degree_);
    const auto l = static_cast<std::uint8_t>(i % degree_);
    const Line& line = lines_[place(node, l)];
    LinkHealth& own = health[std::size_t{block_.first} * degree_ + i];
    own.errors = links_[i].errors;
    own.repeats = links_[i].repeats;
    own.sent_crc = line.sent[in_line(l)];
    const auto from = shape_.neighbour(block_.first + node, Direction{l}.opposite());
    if (from) health[std::size_t{*from} * degree_ + l].received_crc = line.received[in_line(l)];
  }
}

}  // namespace toroid::sim
