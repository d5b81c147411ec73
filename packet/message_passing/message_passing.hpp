// Message passing: sends and receives that are matched by source, tag and communicator, as in MPI,
// over active packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/message_passing/request.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// One node's end of the machine's message passing. Every node has one, with the same handler
/// numbers.
///
/// **Matching:** a receive takes the first message that fits it; messages from one source are in
/// the order in which they were sent. A message takes the first receive that fits it; receives are
/// in the order in which they were posted. Packets may overtake one another, so a message is
/// matched only after all earlier messages of its source.
/// **Eager:** a message of at most Machine::eager_bytes is sent at once. If no receive waits for
/// it, its bytes are set aside and copied when one is posted.
/// **Rendezvous:** a longer message is announced by one packet. When a receive has taken it, a
/// packet goes back, and then the bytes go straight into the receive's buffer.
/// **Costs** in virtual time, in addition to those of every packet: Machine::message_cycles for a
/// send, and for a message that is matched; message_packet_cycles for a packet that is queued or
/// arrives; copy_cycles_per_byte for bytes that were set aside.
///
/// **End:** a run by a Runner fails if a message has arrived that no receive has taken.
///
/// The node's own thread calls it. A packet for a layer that has been destroyed ends the run.
class MessagePassing final : public Outgoing, private PayloadSource {
 public:
  static constexpr unsigned kHandlers = 3;

  /// Uses kHandlers handlers from `first_handler` on. Construct it before the program's first
  /// await. Throws BadInput if the run records messages, because the messages of this layer cannot
  /// be recorded.
  MessagePassing(Node& node, HandlerId first_handler);
  MessagePassing(const MessagePassing&) = delete;
  ~MessagePassing() override;

  /// Begins a send. The request is done when the message may be overwritten. Throws BadInput unless
  /// `to` is another node, the tag is not kAnyTag, and the message has fewer than 2^32 bytes.
  void send(Rank to, Communicator communicator, MessageTag tag, std::span<const std::byte> message,
            MessageRequest& request);
  /// Posts a receive from a node or kAnySource, with a tag or kAnyTag. The request is done when the
  /// message is in the buffer. A message that is longer than the buffer ends the run.
  void receive(Rank from, Communicator communicator, MessageTag tag, std::span<std::byte> buffer,
               MessageRequest& request);
  /// A program that awaits this goes on when all of the requests are done.
  static RequestsAwaiter wait(std::span<const MessageRequest> requests) {
    return RequestsAwaiter(requests);
  }

  /// Charges the node for copying `bytes` bytes from one buffer to another: virtual time passes.
  void spend_copy(std::uint64_t bytes) const;
  Node& node() const { return *node_; }

  bool fill(OutputQueues& queues) override;

  /// "2 messages that no receive took: from (0,1), tag 7, 24 bytes; ..."; empty if there are none.
  std::string unclaimed() const;

 private:
  struct Outbound {
    MessageEnvelope envelope{};
    Rank to = 0;
    const std::byte* data = nullptr;
    MessageRequest* request = nullptr;
    MessageCut cut{};
    std::uint32_t queued = 0;    ///< packets queued
    std::uint32_t gathered = 0;  ///< packets gathered, in any order
    /// An empty message is one packet too.
    std::uint32_t packets() const { return cut.packets() > 0 ? cut.packets() : 1; }
  };
  struct Posted {
    Rank source;
    MessageTag tag;
    Communicator communicator;
    std::span<std::byte> buffer;
    MessageRequest* request;
    bool takes(const MessageEnvelope& envelope) const {
      return communicator == envelope.communicator &&
             (source == kAnySource || source == envelope.source) &&
             (tag == kAnyTag || tag == envelope.tag);
    }
  };
  struct Inbound {
    explicit Inbound(const MessageEnvelope& of) : envelope(of) {}
    MessageEnvelope envelope;
    std::uint32_t arrived = 0;          ///< bytes
    bool announced = false;             ///< whether its sender waits for this node's permission
    std::uint32_t slot = 0;             ///< slot at the sender, if it was announced
    std::vector<std::byte> aside{};     ///< bytes that came before its receive
    std::byte* buffer = nullptr;        ///< buffer of its receive
    MessageRequest* request = nullptr;  ///< null if no receive has taken it
  };
  /// Messages of one source.
  struct Source {
    std::uint32_t next = 0;  ///< number of the next message to match
    std::map<std::uint32_t, Inbound> inbound;
  };
  struct Unexpected {
    Source* source;
    std::uint32_t number;
  };

  void check_send(Rank to, MessageTag tag, std::size_t bytes) const;
  HandlerId handler(unsigned kind) const { return static_cast<HandlerId>(first_handler_ + kind); }
  std::uint32_t new_slot();
  void make_ready(std::uint32_t slot);
  SendDescriptor describe(std::uint32_t slot);
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;

  void on_data(const Packet& packet);
  void on_announcement(const Packet& packet);
  void on_permission(const Packet& packet);
  MessageEnvelope envelope_of(const Packet& packet) const;
  void store(Inbound& message, std::uint32_t at, std::span<const std::byte> bytes) const;
  void admit(Source& source);
  /// Gives the message to a posted receive, or keeps it as unexpected.
  void hand_over(Source& source, Inbound& message);
  void match(Source& source, Inbound& message, const Posted& receive);
  static void settle(Source& source, Inbound& message);
  std::string unmatched() const;

  Node* node_;
  HandlerId first_handler_;
  std::deque<Outbound> outbound_;       ///< by slot
  std::vector<std::uint32_t> free_;     ///< free slots
  std::deque<std::uint32_t> ready_;     ///< slots with packets to queue
  std::map<Rank, std::uint32_t> sent_;  ///< number of messages sent, by destination
  std::map<Rank, Source> sources_;
  std::deque<Posted> posted_;
  std::deque<Unexpected> unexpected_;
  Attachment attachment_;
};

}  // namespace toroid
