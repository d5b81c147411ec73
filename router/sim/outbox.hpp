// What one block of the torus sends to others: packets, and tokens that go back upstream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// An event for another block; its node is a rank of the whole machine.
struct RemoteEvent {
  Tick at;
  Event event;  ///< arrive, whose value is an index of WindowMessage::packets, or tokens
};

/// A packet that changes its block.
struct RemotePacket {
  Flight flight;
  PacketHeader header;
};

/// What one block sends to another in one window.
struct WindowMessage {
  std::vector<RemoteEvent> events;
  std::vector<RemotePacket> packets;
  std::vector<std::byte> payloads;  ///< the payloads of `packets`, one after the other

  void clear() {
    events.clear();
    packets.clear();
    payloads.clear();
  }
};

/// What a block sends to all others in one window: the block writes it during the window, the
/// others read it in the next.
class Outbox {
 public:
  /// `blocks`: ascending, all ranks of the machine.
  explicit Outbox(std::span<const Range> blocks) : blocks_(blocks), messages_(blocks.size()) {}

  void clear() {
    for (WindowMessage& message : messages_) message.clear();
    earliest_ = kNever;
  }
  const WindowMessage& to_block(std::size_t block) const { return messages_[block]; }
  /// The first cycle in which one of its events happens; kNever: it is empty.
  Tick earliest() const { return earliest_; }

  /// A packet's header reaches a source of another block's node at the cycle `at`.
  void send_packet(Tick at, Rank node, unsigned source, const FlightPool& flights, FlightId id) {
    WindowMessage& message = to(node);
    const auto index = static_cast<std::uint32_t>(message.packets.size());
    message.packets.push_back({flights[id], flights.header(id)});
    const auto payload = flights.payload(id);
    message.payloads.insert(message.payloads.end(), payload.begin(), payload.end());
    add(message, at, {EventKind::arrive, node, source, index});
  }
  /// Tokens come back to a link of another block's node at the cycle `at`.
  void return_tokens(Tick at, Rank node, unsigned link, Returned tokens) {
    add(to(node), at, {EventKind::tokens, node, link, tokens.pack()});
  }

 private:
  WindowMessage& to(Rank node) {
    const auto after = std::ranges::upper_bound(blocks_, node, {}, &Range::first);
    return messages_[static_cast<std::size_t>(after - blocks_.begin()) - 1];
  }
  void add(WindowMessage& message, Tick at, Event event) {
    message.events.push_back({at, event});
    earliest_ = std::min(earliest_, at);
  }

  std::span<const Range> blocks_;
  std::vector<WindowMessage> messages_;  ///< [block]
  Tick earliest_ = kNever;
};

}  // namespace toroid::sim
