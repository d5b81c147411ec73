// Message passing: sends and receives that are matched by source, tag and communicator, as in MPI,
// over active packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/messages.hpp"
#include "packet/message_passing/envelope.hpp"
#include "packet/message_passing/request.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// One node's end of the message passing of a machine; every node has one, with equal handlers.
///
/// **Matching:** a receive takes the first message that fits it, in the order of their sends for
/// each source; a message takes the first receive that fits it, in the order in which receives were
/// posted. Packets may overtake one another: a message is looked at when all that its source has
/// sent before have been.
/// **Eager:** a message of at most Machine::eager_bytes is sent at once. Where no receive waits for
/// it, its bytes are put aside and copied when one comes.
/// **Rendezvous:** a longer message is announced by one packet; a packet comes back when a receive
/// has taken it, and then its bytes go straight into the receive's buffer.
/// **Costs** in virtual time, on top of every packet's: Machine::message_cycles for a send, and for
/// a message that meets its receive; message_packet_cycles for a packet that is queued or arrives;
/// copy_cycles_per_byte for what was put aside.
///
/// The node's own thread calls it. It must outlive the run.
class MessagePassing final : public Outgoing, private PayloadSource {
 public:
  static constexpr unsigned kHandlers = 3;

  /// It takes kHandlers handlers from `first_handler` on; construct it before the program's first
  /// await. Throws BadInput where the run's messages are recorded: these cannot be.
  MessagePassing(Node& node, HandlerId first_handler);
  MessagePassing(const MessagePassing&) = delete;

  /// Begins to send. The request is done when the message may be overwritten. REQUIRES: `to` is
  /// another node; the tag is not kAnyTag; fewer than 2^32 bytes.
  void send(Rank to, Communicator communicator, MessageTag tag, std::span<const std::byte> message,
            MessageRequest& request);
  /// Posts a receive, from a node or kAnySource, of a tag or kAnyTag. The request is done when the
  /// message stands in the buffer. A message that is longer than the buffer ends the run.
  void receive(Rank from, Communicator communicator, MessageTag tag, std::span<std::byte> buffer,
               MessageRequest& request);
  /// A program that awaits this goes on when all of the requests are done.
  static RequestsAwaiter wait(std::span<const MessageRequest> requests) {
    return RequestsAwaiter(requests);
  }

  /// The node copies so many bytes from one buffer to another: virtual time passes.
  void spend_copy(std::uint64_t bytes) const;
  Node& node() const { return *node_; }

  bool fill(OutputQueues& queues) override;

 private:
  struct Outbound {
    MessageEnvelope envelope{};
    Rank to = 0;
    const std::byte* data = nullptr;
    MessageRequest* request = nullptr;
    MessageCut cut{};
    std::uint32_t queued = 0;    ///< packets
    std::uint32_t gathered = 0;  ///< packets, in any order
    /// An empty message is a packet, too.
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
    bool announced = false;             ///< it waits for this node's word
    std::uint32_t slot = 0;             ///< of the sender, where it was announced
    std::vector<std::byte> aside{};     ///< what has come before its receive
    std::byte* buffer = nullptr;        ///< of its receive
    MessageRequest* request = nullptr;  ///< null: no receive has taken it
  };
  /// What one source sends.
  struct Source {
    std::uint32_t next = 0;  ///< number of the message that is looked at next
    std::map<std::uint32_t, Inbound> inbound;
  };
  struct Unexpected {
    Source* source;
    std::uint32_t number;
  };

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
  /// To the receive that takes it, or aside.
  void hand_over(Source& source, Inbound& message);
  void match(Source& source, Inbound& message, const Posted& receive);
  static void settle(Source& source, Inbound& message);

  Node* node_;
  HandlerId first_handler_;
  std::deque<Outbound> outbound_;       ///< by slot
  std::vector<std::uint32_t> free_;     ///< slots
  std::deque<std::uint32_t> ready_;     ///< slots whose packets are to be queued
  std::map<Rank, std::uint32_t> sent_;  ///< messages, by destination
  std::map<Rank, Source> sources_;
  std::deque<Posted> posted_;
  std::deque<Unexpected> unexpected_;
};

}  // namespace toroid
