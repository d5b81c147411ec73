#include "packet/message_passing/message_passing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "hal/check.hpp"
#include "hal/copy_bytes.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid {
namespace {

// Handler numbers, relative to the layer's first one.
constexpr unsigned kData = 0;
constexpr unsigned kAnnouncement = 1;
constexpr unsigned kPermission = 2;  ///< to send what was announced

}  // namespace

std::string MessageRequest::text() const {
  if (is_send) return fmt::format("a message to node {} to leave", peer);
  const std::string from = peer == kAnySource ? "any node" : fmt::format("node {}", peer);
  return fmt::format("a message from {}{}", from,
                     tag == kAnyTag ? "" : fmt::format(" with tag {}", tag));
}

void MessageRequest::begin(Node& node, bool sends, Rank with, MessageTag its_tag,
                           std::uint32_t its_bytes) {
  if (!done)
    throw RunFailed("a MessageRequest was used again before it was done; wait for it first");
  done = false;
  is_send = sends;
  peer = with;
  tag = its_tag;
  bytes = its_bytes;
  attachment_.attach(node, node, "MessageRequest", {});
}

MessagePassing::MessagePassing(Node& node, HandlerId first_handler)
    : node_(&node), first_handler_(first_handler), attachment_(node, "MessagePassing", *this) {
  if (node.record() != nullptr)
    throw BadInput("message passing cannot be recorded: its packets are not whole messages");
  attachment_.ask_at_end(
      [](const void* self) { return static_cast<const MessagePassing*>(self)->unclaimed(); });
  using Handler = Node::PlainHandler;
  node.on(attachment_, handler(kData), Handler::of<&MessagePassing::on_data>(this));
  node.on(attachment_, handler(kAnnouncement), Handler::of<&MessagePassing::on_announcement>(this));
  node.on(attachment_, handler(kPermission), Handler::of<&MessagePassing::on_permission>(this));
}

MessagePassing::~MessagePassing() {
  attachment_.detach(free_.size() < outbound_.size() || !posted_.empty());
}

std::string MessagePassing::unclaimed() const {
  constexpr std::size_t kShown = 3;
  if (unexpected_.empty()) return unmatched();
  std::string text = unexpected_.size() == 1
                         ? "a message that no receive took:"
                         : fmt::format("{} messages that no receive took:", unexpected_.size());
  for (std::size_t i = 0; i < std::min(unexpected_.size(), kShown); ++i) {
    const MessageEnvelope envelope =
        unexpected_[i].source->inbound.at(unexpected_[i].number).envelope;
    text += fmt::format("{} from {}, tag {}, communicator {}, {} bytes", i == 0 ? "" : ";",
                        node_->shape().coord_text(envelope.source), envelope.tag,
                        envelope.communicator, envelope.bytes);
  }
  return unexpected_.size() > kShown ? text + "; ..." : text;
}

/// Says which receives no message has reached; empty if there are none.
std::string MessagePassing::unmatched() const {
  if (posted_.empty()) return {};
  const Posted& first = posted_.front();
  const std::string source =
      first.source == kAnySource ? "any node" : node_->shape().coord_text(first.source);
  const std::string tag = first.tag == kAnyTag ? "any tag" : fmt::format("tag {}", first.tag);
  return fmt::format("{} that no message reached{} from {}, {}, communicator {}",
                     posted_.size() == 1 ? "a receive" : fmt::format("{} receives", posted_.size()),
                     posted_.size() == 1 ? ":" : ", the first", source, tag, first.communicator);
}

void MessagePassing::spend_copy(std::uint64_t bytes) const {
  const double cycles = node_->machine().copy_cycles_per_byte * static_cast<double>(bytes);
  if (cycles > 0) node_->spend(whole_cycles(cycles, "a copy (copy_cycles_per_byte)"));
}

void MessagePassing::check_send(Rank to, MessageTag tag, std::size_t bytes) const {
  if (to == node_->rank() || to >= node_->size())
    throw BadInput(
        fmt::format("a message to node {}; expected another node, 0 to {}", to, node_->size() - 1));
  if (tag == kAnyTag) throw BadInput("a message with kAnyTag; only receives may have any tag");
  if (bytes > UINT32_MAX)
    throw BadInput(fmt::format("a message of {} bytes; expected less than 4 GiB", bytes));
}

void MessagePassing::send(Rank to, Communicator communicator, MessageTag tag,
                          std::span<const std::byte> message, MessageRequest& request) {
  check_send(to, tag, message.size());
  node_->spend(node_->machine().message_cycles);
  const auto bytes = static_cast<std::uint32_t>(message.size());
  request.begin(*node_, true, to, tag, bytes);
  const std::uint32_t slot = new_slot();
  Outbound& out = outbound_[slot];
  out = {.envelope = {node_->rank(), sent_[to]++, bytes, tag, communicator},
         .to = to,
         .data = message.data(),
         .request = &request,
         .cut = MessageCut(bytes, kMessageBytesPerPacket)};
  if (bytes <= node_->machine().eager_bytes) return make_ready(slot);
  node_->post(to, handler(kAnnouncement), std::as_bytes(std::span(&out.envelope, 1)), slot);
}

std::uint32_t MessagePassing::new_slot() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(outbound_.size()));
    outbound_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void MessagePassing::make_ready(std::uint32_t slot) {
  ready_.push_back(slot);
  if (ready_.size() == 1) node_->post(*this);
}

/// Queues message after message; messages in different queues leave at the same time.
bool MessagePassing::fill(OutputQueues& queues) {
  while (!ready_.empty()) {
    if (!queues.has_room(queues.next())) return false;
    Outbound& out = outbound_[ready_.front()];
    const SendDescriptor made = describe(ready_.front());
    queues[queues.next()].push(made);
    queues.advance();
    out.queued += made.packets;
    if (out.queued == out.packets()) ready_.pop_front();
    node_->spend(Tick{made.packets} * node_->machine().message_packet_cycles);
  }
  return true;
}

/// Describes all full packets of the message that have not been queued or, if there are none, its
/// last packet.
SendDescriptor MessagePassing::describe(std::uint32_t slot) {
  const Outbound& out = outbound_[slot];
  const MessageRun run = out.cut.run(out.queued, out.packets());
  const unsigned bytes = static_cast<unsigned>(sizeof(MessageEnvelope)) + run.bytes;
  SendDescriptor made = node_->descriptor(out.to, handler(kData), bytes, 0, chunks_for(bytes));
  made.source = this;
  made.cookie = std::uint64_t{slot} << 32 | out.queued;
  made.packets = std::max(1u, run.packets);
  return made;
}

std::uint32_t MessagePassing::gather(const SendDescriptor& descriptor, std::uint32_t number,
                                     std::span<std::byte, kPayloadBytes> payload) {
  const auto slot = static_cast<std::uint32_t>(descriptor.cookie >> 32);
  Outbound& out = outbound_[slot];
  const std::uint32_t packet = static_cast<std::uint32_t>(descriptor.cookie) + number;
  const std::uint32_t at = packet * kMessageBytesPerPacket;
  const std::size_t bytes = descriptor.header.payload_bytes() - sizeof(MessageEnvelope);
  std::memcpy(payload.data(), &out.envelope, sizeof(MessageEnvelope));
  if (bytes > 0) std::memcpy(payload.data() + sizeof(MessageEnvelope), out.data + at, bytes);
  if (++out.gathered == out.packets()) {
    out.request->end();
    free_.push_back(slot);
  }
  return at;
}

MessageEnvelope MessagePassing::envelope_of(const Packet& packet) const {
  node_->spend(node_->machine().message_packet_cycles);
  const auto envelope = packet.as<MessageEnvelope>();
  if (envelope.source >= node_->size())
    throw RunFailed(
        fmt::format("received a message from node {}, which does not exist", envelope.source));
  return envelope;
}

void MessagePassing::on_data(const Packet& packet) {
  const MessageEnvelope envelope = envelope_of(packet);
  Source& source = sources_[envelope.source];
  const auto [at, is_new] = source.inbound.try_emplace(envelope.number, envelope);
  Inbound& message = at->second;
  store(message, packet.header.argument(), packet.bytes().subspan(sizeof envelope));
  if (is_new)
    admit(source);
  else
    settle(source, message);
}

void MessagePassing::on_announcement(const Packet& packet) {
  const MessageEnvelope envelope = envelope_of(packet);
  Source& source = sources_[envelope.source];
  Inbound& message = source.inbound.try_emplace(envelope.number, envelope).first->second;
  message.announced = true;
  message.slot = packet.header.argument();
  admit(source);
}

void MessagePassing::on_permission(const Packet& packet) {
  node_->spend(node_->machine().message_packet_cycles);
  TOROID_CHECK_LT(packet.header.argument(), outbound_.size());
  make_ready(packet.header.argument());
}

void MessagePassing::store(Inbound& message, std::uint32_t at,
                           std::span<const std::byte> bytes) const {
  const MessageEnvelope& envelope = message.envelope;
  if (at + std::uint64_t{bytes.size()} > envelope.bytes)
    throw RunFailed(fmt::format("received bytes {} to {} of a message of {} bytes from {}", at,
                                at + std::uint64_t{bytes.size()}, envelope.bytes,
                                node_->shape().coord_text(envelope.source)));
  if (message.request == nullptr && message.aside.empty()) message.aside.resize(envelope.bytes);
  std::byte* const to = message.request != nullptr ? message.buffer : message.aside.data();
  copy_bytes(to + at, bytes.data(), bytes.size());
  message.arrived += static_cast<std::uint32_t>(bytes.size());
}

/// Hands over the source's messages in the order of their numbers.
void MessagePassing::admit(Source& source) {
  for (auto at = source.inbound.find(source.next); at != source.inbound.end();
       at = source.inbound.find(source.next)) {
    ++source.next;
    hand_over(source, at->second);
  }
}

void MessagePassing::hand_over(Source& source, Inbound& message) {
  const auto receive = std::ranges::find_if(
      posted_, [&](const Posted& posted) { return posted.takes(message.envelope); });
  if (receive == posted_.end()) {
    unexpected_.push_back({&source, message.envelope.number});
    return;
  }
  const Posted taken = *receive;
  posted_.erase(receive);
  match(source, message, taken);
}

void MessagePassing::receive(Rank from, Communicator communicator, MessageTag tag,
                             std::span<std::byte> buffer, MessageRequest& request) {
  request.begin(*node_, false, from, tag, 0);
  const Posted posted{from, tag, communicator, buffer, &request};
  const auto fits = std::ranges::find_if(unexpected_, [&](const Unexpected& one) {
    return posted.takes(one.source->inbound.at(one.number).envelope);
  });
  if (fits == unexpected_.end()) return posted_.push_back(posted);
  const Unexpected taken = *fits;
  unexpected_.erase(fits);
  match(*taken.source, taken.source->inbound.at(taken.number), posted);
}

void MessagePassing::match(Source& source, Inbound& message, const Posted& receive) {
  const MessageEnvelope& envelope = message.envelope;
  if (envelope.bytes > receive.buffer.size())
    throw RunFailed(
        fmt::format("a message of {} bytes from {} with tag {} is longer than the {} "
                    "bytes of its receive",
                    envelope.bytes, node_->shape().coord_text(envelope.source), envelope.tag,
                    receive.buffer.size()));
  node_->spend(node_->machine().message_cycles);
  message.buffer = receive.buffer.data();
  message.request = receive.request;
  receive.request->peer = envelope.source;
  receive.request->tag = envelope.tag;
  receive.request->bytes = envelope.bytes;
  copy_bytes(message.buffer, message.aside.data(), message.aside.size());
  spend_copy(message.arrived);
  if (message.announced) node_->post(envelope.source, handler(kPermission), {}, message.slot);
  settle(source, message);
}

/// Finishes the message if it is complete and a receive has taken it.
void MessagePassing::settle(Source& source, Inbound& message) {
  const bool is_complete = message.arrived == message.envelope.bytes;
  if (message.request == nullptr || !is_complete) return;
  message.request->end();
  const std::uint32_t number = message.envelope.number;
  source.inbound.erase(number);
}

}  // namespace toroid
