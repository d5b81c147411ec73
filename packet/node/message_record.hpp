// The messages of a run: when nodes began to send them and when they had arrived.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// An event at a node. Either the node began to send message `number` to `peer`. Or all messages
/// for `handler` with numbers below `number` had arrived from `peer`; if that is kEverybody, from
/// all nodes.
struct RecordedEvent {
  Tick at;
  std::uint64_t bytes;
  Rank peer;
  std::uint32_t number;
  HandlerId handler;
  bool is_send;
};

/// The events of one node in order, 32 bytes each.
class RankRecord {
 public:
  static constexpr Rank kEverybody = ~Rank{0};

  /// Records that the node began to send a message. The messages for a handler from one node to
  /// another have numbers: either the caller gives the number of each, or this record counts them.
  void send(Tick at, Rank to, std::uint64_t bytes, HandlerId handler, std::uint32_t number) {
    events_.push_back({at, bytes, to, number, handler, true});
  }
  void send(Tick at, Rank to, std::uint64_t bytes, HandlerId handler) {
    send(at, to, bytes, handler, next_[{to, handler}]++);
  }
  void received(Tick at, HandlerId handler, Rank from, std::uint64_t count) {
    events_.push_back({at, 0, from, static_cast<std::uint32_t>(count), handler, false});
  }
  /// The node's program has ended.
  void end(Tick at) { end_ = at; }

  std::span<const RecordedEvent> events() const { return events_; }
  Tick ended() const { return end_; }
  /// Takes over the record of a node that another process runs.
  void assign(std::span<const RecordedEvent> events, Tick end) {
    events_.assign(events.begin(), events.end());
    end_ = end;
  }

 private:
  std::vector<RecordedEvent> events_;
  std::map<std::pair<Rank, HandlerId>, std::uint32_t> next_;
  Tick end_ = 0;
};

/// The records of all nodes of a run. Each node writes its own, from its own thread.
class MessageRecord {
 public:
  explicit MessageRecord(Rank nodes) : ranks_(nodes) {}
  RankRecord& of(Rank r) { return ranks_[r]; }
  const RankRecord& of(Rank r) const { return ranks_[r]; }
  Rank nodes() const { return static_cast<Rank>(ranks_.size()); }

 private:
  std::vector<RankRecord> ranks_;
};

}  // namespace toroid
