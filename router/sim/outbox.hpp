// The messages of a block to others: packets, and tokens that return upstream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/node_range.hpp"
#include "router/threads/spsc_chain.hpp"

namespace toroid::sim {

/// A packet that changes its block: its header reaches an input of a node in cycle `at`. Nodes are
/// ranks of the whole machine. `packet` is the word that identifies the packet in the model; it
/// contains at least the packet's number.
struct RemotePacket {
  Tick at;
  std::uint64_t packet;
  Rank node;
  std::uint32_t input;
};

/// Tokens return to a link of a node in cycle `at`.
struct RemoteTokens {
  Tick at;
  Rank node;
  std::uint16_t link;
  std::uint8_t channel;  ///< index of a VirtualChannel
  std::uint8_t chunks;
};

/// Everything that a block sends to one neighbour between two announcements of its horizon. Headers
/// are in order of time, within and across messages.
struct WindowMessage {
  std::vector<RemotePacket> packets;
  std::vector<RemoteTokens> tokens;

  bool empty() const { return packets.empty() && tokens.empty(); }
  void clear() {
    packets.clear();
    tokens.clear();
  }
};

/// The queue from one block to another.
using Mail = SpscChain<WindowMessage>;

/// Collects messages to a block's neighbours. The block's thread owns it.
class Outbox {
 public:
  /// `blocks`: the ranges of all blocks, in ascending order. `mail`: [block], the queue to that
  /// block; null if the block is not a neighbour.
  Outbox(std::span<const Range> blocks, std::vector<Mail*> mail)
      : blocks_(blocks), mail_(std::move(mail)) {
    for (Mail* const way : mail_)
      if (way != nullptr) ways_.push_back(way);
  }

  /// Posts the messages since the last call to the neighbours. Returns the number of messages.
  std::size_t post() {
    std::size_t posted = 0;
    for (Mail* const way : ways_) {
      if (way->draft().empty()) continue;
      way->post();
      way->draft().clear();
      ++posted;
    }
    return posted;
  }

  /// A packet's header reaches an input of another block's node in cycle `at`.
  void send_packet(Tick at, Rank node, unsigned input, std::uint64_t packet) {
    to(node).packets.push_back({at, packet, node, input});
  }
  /// Tokens return to a link of another block's node in cycle `at`.
  void return_tokens(Tick at, Rank node, unsigned link, Returned tokens) {
    to(node).tokens.push_back({at, node, static_cast<std::uint16_t>(link),
                               static_cast<std::uint8_t>(tokens.channel),
                               static_cast<std::uint8_t>(tokens.chunks)});
  }

 private:
  WindowMessage& to(Rank node) {
    if (ways_.size() == 1) return ways_.front()->draft();
    const auto after = std::ranges::upper_bound(blocks_, node, {}, &Range::first);
    return mail_[static_cast<std::size_t>(after - blocks_.begin()) - 1]->draft();
  }

  std::span<const Range> blocks_;
  std::vector<Mail*> mail_;  ///< [block]
  std::vector<Mail*> ways_;  ///< mail to the neighbours
};

}  // namespace toroid::sim
