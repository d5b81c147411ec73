// What one block of the torus sends to others: packets, and tokens that go back upstream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/routers.hpp"
#include "router/threads/spsc_chain.hpp"

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

/// What one block sends to another between two announcements of its horizon.
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

/// The way from one block to another.
using Mail = SpscChain<WindowMessage>;

/// What a block sends to its neighbours. The block's thread owns it.
class Outbox {
 public:
  /// `blocks`: ascending, all ranks of the machine. `mail`: [block]; null: no neighbour.
  Outbox(std::span<const Range> blocks, std::vector<Mail*> mail)
      : blocks_(blocks), mail_(std::move(mail)) {
    for (Mail* const way : mail_)
      if (way != nullptr) ways_.push_back(way);
  }

  /// Shows the neighbours what has been sent since the last call. Returns the number of messages.
  std::size_t post() {
    std::size_t posted = 0;
    for (Mail* const way : ways_) {
      if (way->draft().events.empty()) continue;
      way->post();
      way->draft().clear();
      ++posted;
    }
    return posted;
  }

  /// A packet's header reaches a source of another block's node at the cycle `at`.
  void send_packet(Tick at, Rank node, unsigned source, const FlightPool& flights, FlightId id) {
    WindowMessage& message = to(node);
    const auto index = static_cast<std::uint32_t>(message.packets.size());
    message.packets.push_back({flights[id], flights.header(id)});
    const auto payload = flights.payload(id);
    message.payloads.insert(message.payloads.end(), payload.begin(), payload.end());
    message.events.push_back({at, {EventKind::arrive, node, source, index}});
  }
  /// Tokens come back to a link of another block's node at the cycle `at`.
  void return_tokens(Tick at, Rank node, unsigned link, Returned tokens) {
    to(node).events.push_back({at, {EventKind::tokens, node, link, tokens.pack()}});
  }

 private:
  WindowMessage& to(Rank node) {
    const auto after = std::ranges::upper_bound(blocks_, node, {}, &Range::first);
    return mail_[static_cast<std::size_t>(after - blocks_.begin()) - 1]->draft();
  }

  std::span<const Range> blocks_;
  std::vector<Mail*> mail_;  ///< [block]
  std::vector<Mail*> ways_;  ///< those of neighbours
};

}  // namespace toroid::sim
