// The personalised all-to-all by the patent's fill and drain: every member of a group sends a
// message of its own to every other.
#pragma once

#include "hal/fill.hpp"
#include "packet/group.hpp"
#include "packet/node.hpp"

namespace toroid {

/// Packets of a message that follow one another and are equally long.
struct MessageRun {
  unsigned bytes = 0;         ///< of payload, each
  std::uint32_t packets = 0;  ///< 0: the message has ended before
};

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

/// One exchange. Construct it before the program's first await (its handler must exist when others
/// start), start it when the data is ready, then wait for `received`. It must live until `sent`
/// too: a node may have received everything while packets of its own are still in its output
/// queues.
class AllToAll final : public PayloadSource, public Outgoing {
 public:
  /// `messages` must outlive the exchange.
  AllToAll(Node& node, HandlerId handler, const Group& group, Messages& messages,
           AllToAllSchedule schedule = {});

  /// Every packet goes into an output queue as soon as there is room for it. May be called again,
  /// for the same messages or others like them, when sent() has counted every start before.
  void start();
  /// Packets received, of all starts together.
  const Counter& received() const { return received_; }
  std::uint64_t expected() const { return messages_->packets_expected(); }
  /// Counts the starts of which no packet in the output queues needs this exchange any more.
  const Counter& sent() const { return sent_; }

  bool fill(OutputQueues& queues) override;
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

 private:
  std::optional<SendDescriptor> describe(Rank member, std::uint32_t first, std::uint32_t limit);
  void note_sent();

  Node* node_;
  HandlerId handler_;
  Group group_;
  Messages* messages_;
  Fill first_fill_;  ///< as it begins
  Fill fill_;
  std::uint64_t starts_ = 0;
  std::uint64_t queued_ = 0;  ///< packets whose payload has not been gathered yet
  Counter received_{"packets of the exchange"};
  Counter sent_{"packets of the exchange sent"};
};

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
