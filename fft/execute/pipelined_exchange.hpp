// The array changes its spread by active packets: each packet's payload goes straight to its place
// in the receiver's next array when it arrives. No staging buffer, no unpacking pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "fft/layout/distribution.hpp"
#include "fft/layout/redistribution.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// The messages of one piece after the other: every stride-th piece of an exchange. The argument of
/// a packet whose elements are contiguous where they go is the place of the first one in the
/// receiver's array. That of any other says which packet of which member's message it is; both ends
/// walk the same Transfer.
class PieceMessages final : public Messages {
 public:
  /// `target` is this node's array after the exchange.
  PieceMessages(const Redistribution& redistribution, std::uint32_t first, std::uint32_t stride,
                std::span<std::byte> target);

  /// What is sent from now on: the piece, whose first plane stands at `source`. REQUIRES: nothing
  /// of the piece before remains to be gathered.
  void set_piece(std::uint32_t piece, const std::byte* source);
  void set_target(std::span<std::byte> target) { target_ = target; }
  /// What stays on this node, of the current piece.
  void copy_own();

  std::uint64_t bytes_to(Rank member) const override;
  /// Of the current piece.
  std::uint64_t packets_expected() const override {
    return redistribution_->packets_expected(sending_);
  }
  std::uint32_t most_packets() const override { return redistribution_->most_packets(); }
  bool has_payload() const override { return true; }
  MessageRun run(Rank member, std::uint32_t first, std::uint32_t limit) const override;
  std::uint32_t gather(Rank member, std::uint32_t number,
                       std::span<std::byte> payload) const override;
  void arrive(const Packet& packet) override;

 private:
  void arrive_in_run(const Packet& packet);
  void scatter(const Packet& packet);

  const Redistribution* redistribution_;
  std::uint32_t first_;
  std::uint32_t stride_;
  unsigned number_bits_;  ///< of an argument that names a packet of a message
  std::uint32_t sending_;
  const std::byte* source_ = nullptr;
  std::span<std::byte> target_;
  std::uint32_t receiving_;    ///< the piece that the next packet belongs to
  std::uint64_t arrived_ = 0;  ///< packets of it
};

/// How an exchange in pieces goes.
struct Pipeline {
  PieceRule rule{};
  std::uint32_t window = 1;             ///< pieces that may be outstanding at once
  std::uint32_t packets_per_visit = 1;  ///< the patent's b
};

/// One node's part of an exchange: its pieces are non-blocking all-to-alls, `window` of which may
/// be outstanding at once.
///
/// Why two windows of handlers tell the pieces apart. A node starts piece e when its piece e - w is
/// complete; then all peers have started e - w, so that theirs of e - 2w are complete. So whatever
/// arrives for a handler belongs to the first of its pieces that is not complete.
class Exchange {
 public:
  Exchange(Node& node, const Distribution& from, const Distribution& to,
           std::uint32_t element_bytes, const Group& group, const Pipeline& pipeline,
           std::span<std::byte> target);

  std::uint32_t pieces() const { return redistribution_.pieces(); }
  std::uint32_t window() const { return window_; }
  /// Of the pieces, when all have been started.
  std::uint32_t first_outstanding() const { return pieces() - window_; }
  /// The all-to-all of a piece: to wait for, once it is started and before another one of its slot.
  const AllToAll& piece(std::uint32_t piece) const {
    return slots_[piece % slots_.size()].exchange;
  }
  /// Where what arrives goes from now on. REQUIRES: nothing is under way.
  void set_target(std::span<std::byte> target);
  /// REQUIRES: the piece that is `window` before this one is complete.
  void start(std::uint32_t piece, const std::byte* source);

 private:
  struct Slot {
    Slot(Node& node, HandlerId handler, const Redistribution& redistribution, std::uint32_t number,
         std::uint32_t slots, std::uint32_t packets_per_visit, std::span<std::byte> target)
        : messages(redistribution, number, slots, target),
          exchange(node, handler, redistribution.group(), messages, {packets_per_visit}) {}
    PieceMessages messages;
    AllToAll exchange;
  };

  Redistribution redistribution_;
  std::uint32_t window_;
  std::deque<Slot> slots_;  ///< piece e's is e modulo their number
};

}  // namespace toroid
