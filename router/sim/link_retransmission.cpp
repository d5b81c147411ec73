#include "router/sim/link_retransmission.hpp"

#include <algorithm>
#include <limits>

namespace toroid::sim {

LinkRetransmission::LinkRetransmission(const Shape& shape, const Machine& machine,
                                       const RoutingOptions& options, Range block)
    : shape_(shape.without_failures()),
      degree_(shape.links()),
      row_bits_(degree_ <= 8 ? 3 : 4),
      block_(block),
      timeout_(machine.acknowledgement_cycles()) {
  if (!options.link_errors.are_checked()) return;
  for (unsigned c = 1; c <= kMaxChunks; ++c)
    wire_cycles_[c] = machine.wire_cycles(machine.wire_bytes(c));
  received_.resize(row(block.count));
  const std::vector<double> rates = link_error_rates(shape, options.link_errors);
  const std::size_t first = std::size_t{block.first} * degree_;
  for (std::size_t l = first; l < first + std::size_t{block.count} * degree_; ++l)
    links_.push_back({.draw = LinkFaultDraw(options.link_errors, rates[l], options.link_seed, l)});
}

/// Moves some of the fault-free transmissions that are left before the next fault to the count of
/// the sending end. Returns false if none are left.
bool LinkRetransmission::take_sound(SendingEnd& end, Rank node, unsigned l) {
  Link& link = this->link(node, l);
  if (link.sound == 0) link.sound = link.draw.take_sound();
  const auto most = std::min<std::uint64_t>(link.sound, std::numeric_limits<std::uint16_t>::max());
  if (link.sound != LinkFaultDraw::kNever) link.sound -= most;
  end.sound = static_cast<std::uint16_t>(most);
  return most > 0;
}

Tick LinkRetransmission::begin_unsound(SendingEnd& end, Rank node, unsigned l, unsigned chunks) {
  Tick held = 0;
  while (!take_sound(end, node, l))
    held += befall(end, node, l, link(node, l).draw.fault(), wire_cycles_[chunks]);
  --end.sound;
  return held;
}

/// Counts a fault and returns for how long it holds the link. If a packet overtakes another, both
/// are sent again as after a loss: the receiver refuses the packet that comes too early.
Tick LinkRetransmission::befall(SendingEnd& end, Rank node, unsigned l, LinkFault fault,
                                Tick wire) {
  Link& link = this->link(node, l);
  if (fault == LinkFault::silent) {
    end.sent_crc ^= 1u;
    return 0;
  }
  if (fault == LinkFault::delay) return timeout_ / 2;
  ++link.errors;
  if (fault == LinkFault::duplicate) return wire;
  ++link.repeats;
  return wire + timeout_;
}

void LinkRetransmission::add_link(std::vector<LinkHealth>& health, Rank node, unsigned l,
                                  std::uint32_t sent_crc) const {
  const Link& link = links_[std::size_t{node} * degree_ + l];
  const Direction direction{static_cast<std::uint8_t>(l)};
  const Rank rank = block_.first + node;
  LinkHealth& own = health[std::size_t{rank} * degree_ + l];
  own.errors = link.errors;
  own.repeats = link.repeats;
  own.sent_crc = sent_crc;
  const auto from = shape_.neighbour(rank, direction.opposite());
  if (from) health[std::size_t{*from} * degree_ + l].received_crc = received_[row(node) + l];
}

}  // namespace toroid::sim
