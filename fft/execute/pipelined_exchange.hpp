// The exchange between two stages of a plan by active packets. It changes the array's distribution.
// On arrival a packet's payload goes straight to its place in the receiver's next array: there is
// no staging buffer and no unpacking pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fft/execute/line_arrivals.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/redistribution.hpp"
#include "fft/layout/redistribution_message.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid::fft {

/// The messages of an exchange in pieces. An object serves the pieces first, first + stride, ...,
/// one after the other.
///
/// A packet's argument has one of two forms:
/// - the place of its first element in the receiver's array, if its elements are contiguous there;
/// - otherwise the sender's number in the group and the packet's number in its message. The
///   receiver derives the places from these two numbers, because it has the same Transfer as the
///   sender.
class PieceMessages final : public Messages {
 public:
  /// `target` is this node's array after the exchange. `arrivals`, if not null, counts every
  /// element that is stored there.
  PieceMessages(const Redistribution& redistribution, std::uint32_t first, std::uint32_t stride,
                std::span<std::byte> target, LineArrivals* arrivals);

  /// Chooses the piece that is sent from now on; its first plane is at `source`. REQUIRES: no
  /// packet of the object's previous piece remains to be gathered.
  void set_piece(std::uint32_t piece, const std::byte* source);
  void set_target(std::span<std::byte> target) { target_ = target; }
  /// Copies what this node sends to itself in the current piece.
  void copy_own();

  std::uint64_t bytes_to(Rank member) const override;
  /// Number of packets that this node receives in the current piece.
  std::uint64_t packets_expected() const override {
    return redistribution_->packets_expected(sending_);
  }
  std::uint32_t most_packets() const override { return redistribution_->most_packets(); }
  MessageRun run(Rank member, std::uint32_t first, std::uint32_t limit) const override;
  bool has_payload() const override { return true; }
  bool has_places() const override { return true; }
  std::uint32_t gather(Rank member, std::uint32_t number,
                       std::span<std::byte> payload) const override;
  void arrive_at(std::uint32_t place, std::span<const std::byte> payload) override;
  void arrive(Rank from, std::uint32_t number, std::span<const std::byte> payload) override;
  std::uint32_t packets_to_put(Rank member) const override;
  const std::byte* source(Rank) const override { return source_; }
  std::size_t take(Rank from, std::uint32_t first, std::uint32_t packets,
                   const std::byte* source) override;
  std::size_t pack_part(const MessagePart& part, std::span<std::byte> packed) const override;
  bool unpack_part(const MessagePart& part, std::span<const std::byte> packed) override;
  std::span<const std::byte> offer_part(const MessagePart& part, std::size_t least) const override;
  bool land_part(const MessagePart& part, std::vector<PutStretch>& landing) override;
  void landed(const MessagePart& part) override;
  std::uint64_t traffic_number(std::uint64_t start) const override;
  std::unique_ptr<const Traffic> traffic(std::uint64_t number) const override;
  void pack(Rank member, std::vector<std::byte>& bytes) const override;
  void unpack(Rank from, std::span<const std::byte> bytes) override;

 private:
  /// Moves on to the piece that the next packet belongs to.
  void find_piece();
  bool seek_piece();
  /// What a member sends to this node in the piece that is arriving.
  struct Incoming {
    const Transfer* transfer;  ///< null if it sends nothing
    std::byte* target;         ///< address of place 0 of the transfer in this node's array
  };
  Incoming incoming(Rank from) const;
  void store_run(std::uint32_t place, std::span<const std::byte> payload);
  void scatter(Rank from, std::uint32_t number, std::span<const std::byte> payload);
  void note_stored(const Transfer& transfer, Transfer::Elements elements) {
    if (arrivals_ != nullptr) arrivals_->note(transfer, elements);
  }

  const Redistribution* redistribution_;
  std::uint32_t first_;
  std::uint32_t stride_;
  unsigned number_bits_;  ///< number of bits of an argument that hold a packet's number
  std::uint32_t sending_;
  const std::byte* source_ = nullptr;
  std::span<std::byte> target_;
  LineArrivals* arrivals_;
  std::uint32_t receiving_;    ///< the piece that is arriving
  std::uint64_t arrived_ = 0;  ///< packets of this piece that have arrived so far
};

/// Settings of an exchange in pieces.
struct Pipeline {
  PieceRule rule{};
  std::uint32_t window = 1;  ///< number of pieces that may be outstanding at once
  /// Arrivals are counted for each index of this axis. If none is set, they are counted only for
  /// whole pieces.
  std::optional<unsigned> line_axis{};
};

class PipelinedExchange;

/// See PipelinedExchange::wait_lines().
class LinesAwaiter final : public Awaiter {
 public:
  LinesAwaiter(const PipelinedExchange& exchange, std::uint32_t index)
      : exchange_(&exchange), index_(index) {}
  bool ready() override;
  std::string text() const override;

 private:
  const PipelinedExchange* exchange_;
  std::uint32_t index_;
};

/// One node's part of an exchange in pieces. Each piece is a non-blocking exchange. At most w =
/// `window` pieces are outstanding at once.
///
/// **Slots:** piece e uses handler e mod 2w, so packets need not name their piece.
/// **Safety:** a node starts piece e when its own piece e - w is complete. Then all peers have
/// started piece e - w, and so they have completed piece e - 2w. So every packet for a handler
/// belongs to the handler's first incomplete piece.
///
/// Pass owns it; only the node's own thread calls it.
class PipelinedExchange {
 public:
  PipelinedExchange(Node& node, const Distribution& from, const Distribution& to,
                    std::uint32_t element_bytes, const Group& group, const ExchangePlan& plan,
                    const Pipeline& pipeline, std::span<std::byte> target);

  std::uint32_t pieces() const { return redistribution_.pieces(); }
  std::uint32_t window() const { return window_; }
  /// The first piece that may still be outstanding when all pieces have been started.
  std::uint32_t first_outstanding() const { return pieces() - window_; }
  /// The exchange of a piece. It may be awaited between the start of the piece and the start of the
  /// next piece in the same slot.
  const Exchange& piece(std::uint32_t piece) const {
    return slots_[piece % slots_.size()].exchange;
  }
  /// Sets the array in which data is stored from now on. REQUIRES: no piece is under way.
  void set_target(std::span<std::byte> target);
  /// Counters of arrived elements, line by line; null if they are not counted.
  const LineArrivals* arrivals() const { return arrivals_.get(); }
  /// A program that awaits this resumes when the lines of an index are complete. REQUIRES:
  /// arrivals() is not null, and all pieces have been started.
  LinesAwaiter wait_lines(std::uint32_t index) const;
  /// Starts a piece whose first plane is at `source`. REQUIRES: the piece that was started `window`
  /// pieces earlier, if any, is complete.
  void start(std::uint32_t piece, const std::byte* source);

 private:
  struct Slot {
    Slot(Node& node, HandlerId handler, const Redistribution& redistribution, std::uint32_t number,
         std::uint32_t slots, const ExchangePlan& plan, std::span<std::byte> target,
         LineArrivals* arrivals)
        : messages(redistribution, number, slots, target, arrivals),
          exchange(node, handler, redistribution.group(), plan, messages) {}
    PieceMessages messages;
    Exchange exchange;
  };

  Redistribution redistribution_;
  std::uint32_t window_;
  std::unique_ptr<LineArrivals> arrivals_;
  std::deque<Slot> slots_;  ///< piece e uses slot e modulo the number of slots
};

}  // namespace toroid::fft
