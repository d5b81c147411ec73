// The personalised all-to-all by the patent's fill and drain: every member of a group sends a
// message of its own to every other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "hal/fill.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

/// Packets of a message that follow one another and are equally long.
struct MessageRun {
  unsigned bytes = 0;         ///< of payload, each
  std::uint32_t packets = 0;  ///< 0: the message has ended before
};

/// Of a message of so many bytes, cut into full packets and one rest: at most `limit` packets from
/// `first` on, where a full one holds `per_packet` bytes.
MessageRun run_of(std::uint64_t bytes, unsigned per_packet, std::uint32_t first,
                  std::uint32_t limit);

/// What the messages are made of. All calls name members of the group, not ranks.
class Messages {
 public:
  virtual ~Messages() = default;
  /// Payload bytes of the message to a member; 0: none. Cut into full packets and one rest, unless
  /// run() says otherwise.
  virtual std::uint64_t bytes_to(Rank member) const = 0;
  /// Packets that all others together send here.
  virtual std::uint64_t packets_expected() const = 0;
  /// The longest message that this node sends, in packets.
  virtual std::uint32_t most_packets() const = 0;
  /// Whether payloads travel. Without, packets have their length on the wire and nothing in them.
  virtual bool has_payload() const = 0;
  /// At most `limit` packets from `first` on.
  virtual MessageRun run(Rank member, std::uint32_t first, std::uint32_t limit) const;
  /// Writes a packet's payload, where payloads travel, and returns its argument.
  virtual std::uint32_t gather(Rank member, std::uint32_t packet,
                               std::span<std::byte> payload) const = 0;
  /// A packet of somebody's message to this node has arrived.
  virtual void arrive(const Packet& packet) = 0;
};

struct AllToAllSchedule {
  std::uint32_t packets_per_visit = 1;  ///< the patent's b
  Rank peers = ~Rank{0};  ///< that this node sends to, the first of its order; fewer: a sample
};

class AllToAllAwaiter;

/// One exchange, non-blocking: start it when the data is ready, go on with something else, test it,
/// wait for it. Blocking is start, then wait. Several may be outstanding at once, each an object
/// with a handler of its own. Packets are sent and handled whenever the node has a turn: while the
/// program awaits anything, so a long computation awaits progress() now and then.
///
/// Construct it before the program's first await: its handler must exist when others start.
class AllToAll final : public PayloadSource, public Outgoing {
 public:
  /// `messages` must outlive the exchange.
  AllToAll(Node& node, HandlerId handler, const Group& group, Messages& messages,
           AllToAllSchedule schedule = {});

  /// Every packet goes into an output queue as soon as there is room for it. May be called again,
  /// for the same messages or others like them, when sent() has counted every start before and no
  /// peer awaits an earlier one: packets do not say which start they belong to. A barrier after
  /// each sees to that, or two exchanges that take turns, each started when the other is complete.
  void start();
  /// Everything that was started has been received, and no packet in the output queues needs this
  /// exchange or its data any more. What has not been started is complete.
  bool test() const { return received_.value() >= expected_ && sent_.value() == starts_; }
  /// To be awaited: until test().
  AllToAllAwaiter wait() const;

  /// Packets received, of all starts together.
  const Counter& received() const { return received_; }
  /// Packets of a start.
  std::uint64_t expected() const { return messages_->packets_expected(); }
  /// Packets of all starts so far.
  std::uint64_t expected_so_far() const { return expected_; }
  std::uint64_t starts() const { return starts_; }
  /// Counts the starts of which no packet in the output queues needs this exchange any more.
  const Counter& sent() const { return sent_; }

  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  std::optional<SendDescriptor> describe(Rank member, std::uint32_t first, std::uint32_t limit);
  void note_sent();
  void note_started();
  void note_received();

  /// What is needed only where the run is recorded.
  struct Recording {
    explicit Recording(SendOrder to) : order(std::move(to)) {}
    SendOrder order;
    std::deque<std::uint64_t> complete_at;  ///< packets received, by start that is not complete
  };

  Node* node_;
  HandlerId handler_;
  Group group_;
  Messages* messages_;
  Fill first_fill_;  ///< as it begins
  Fill fill_;
  std::uint64_t starts_ = 0;
  std::uint64_t expected_ = 0;
  std::uint64_t queued_ = 0;  ///< packets whose payload has not been gathered yet
  Counter received_{"packets of the exchange"};
  Counter sent_{"packets of the exchange sent"};
  std::unique_ptr<Recording> recording_;
};

class AllToAllAwaiter final : public Awaiter {
 public:
  explicit AllToAllAwaiter(const AllToAll& exchange) : exchange_(&exchange) {}
  bool ready() override { return exchange_->test(); }
  std::string text() const override;

 private:
  const AllToAll* exchange_;
};

inline AllToAllAwaiter AllToAll::wait() const {
  return AllToAllAwaiter(*this);
}

/// The same number of payload bytes for every pair, none of them carried: what schedules are judged
/// by.
class UniformMessages : public Messages {
 public:
  UniformMessages(Rank members, std::uint64_t bytes) : peers_(members - 1), bytes_(bytes) {}
  std::uint64_t bytes_to(Rank) const override { return bytes_; }
  std::uint64_t packets_expected() const override { return std::uint64_t{peers_} * most_packets(); }
  std::uint32_t most_packets() const override {
    return static_cast<std::uint32_t>(packets_for(bytes_));
  }
  bool has_payload() const override { return false; }
  std::uint32_t gather(Rank, std::uint32_t packet, std::span<std::byte>) const override {
    return packet;
  }
  void arrive(const Packet&) override {}

 private:
  Rank peers_;
  std::uint64_t bytes_;
};

}  // namespace toroid
