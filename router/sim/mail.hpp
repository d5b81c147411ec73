// What crosses the border between two blocks of the torus: packets, and tokens going back upstream.
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

namespace toroid::sim {

/// Ranks that follow one another.
struct Range {
  Rank first;
  Rank count;
  constexpr bool has(Rank rank) const { return rank - first < count; }
};

/// An event for another block; its node is a rank of the whole machine.
struct Letter {
  Tick at;
  Event event;  ///< arrive, whose value counts the parcels, or tokens
};

/// A packet that changes its block.
struct Parcel {
  Flight flight;
  PacketHeader header;
};

/// What one block sends to another in one window.
struct Mail {
  std::vector<Letter> letters;
  std::vector<Parcel> parcels;
  std::vector<std::byte> payloads;  ///< of the parcels, one after the other

  void clear() {
    letters.clear();
    parcels.clear();
    payloads.clear();
  }
};

/// What a block sends to all others in one window.
class Outbox {
 public:
  /// `blocks`: ascending, all ranks of the machine.
  explicit Outbox(std::span<const Range> blocks) : blocks_(blocks), mail_(blocks.size()) {}

  void clear() {
    for (Mail& mail : mail_) mail.clear();
    earliest_ = kNever;
  }
  const Mail& to_block(std::size_t block) const { return mail_[block]; }
  /// The first cycle in which something of it happens.
  Tick earliest() const { return earliest_; }

  void send_packet(Tick at, Rank node, unsigned source, const FlightPool& flights, FlightId id) {
    Mail& mail = to(node);
    const auto parcel = static_cast<std::uint32_t>(mail.parcels.size());
    mail.parcels.push_back({flights[id], flights.header(id)});
    const auto payload = flights.payload(id);
    mail.payloads.insert(mail.payloads.end(), payload.begin(), payload.end());
    post(mail, at, {EventKind::arrive, node, source, parcel});
  }
  void return_tokens(Tick at, Rank node, unsigned link, Returned tokens) {
    post(to(node), at, {EventKind::tokens, node, link, tokens.pack()});
  }

 private:
  Mail& to(Rank node) {
    const auto after = std::ranges::upper_bound(blocks_, node, {}, &Range::first);
    return mail_[static_cast<std::size_t>(after - blocks_.begin()) - 1];
  }
  void post(Mail& mail, Tick at, Event event) {
    mail.letters.push_back({at, event});
    earliest_ = std::min(earliest_, at);
  }

  std::span<const Range> blocks_;
  std::vector<Mail> mail_;  ///< [block]
  Tick earliest_ = kNever;
};

}  // namespace toroid::sim
