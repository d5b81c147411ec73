#include "router/ofi/torus_gateway.hpp"

#include <fmt/core.h>

#include <atomic>

#include "hal/check.hpp"

namespace toroid::ofi {
namespace {

/// Whether a link's counts, which wrap around, lie between those of given back and of sent packets.
bool lies_between(std::uint64_t given_back, std::uint64_t counts, std::uint64_t sent) {
  const auto first = ring::unpack(given_back), middle = ring::unpack(counts),
             last = ring::unpack(sent);
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    if (static_cast<std::uint16_t>(middle[c] - first[c]) >
        static_cast<std::uint16_t>(last[c] - first[c]))
      return false;
  return true;
}

}  // namespace

TorusGateway::TorusGateway(Transport& transport, FrameBuffers& buffers,
                           std::span<const FlowIdentity> identities,
                           const ring::SharedDeviceState& shared, const Partition& partition,
                           ring::BoundaryLinks& boundary)
    : Gateway(transport, buffers, partition.processes(), identities),
      shared_(shared),
      leaving_at_(std::size_t{shared.shape.size()} * shared.shape.links()),
      arriving_at_(leaving_at_.size()) {
  const auto number = [&](const auto& link) {
    return ring::BoundaryLinks::number(shared.shape, link.to, link.travelling);
  };
  for (ring::LeavingLink& link : boundary.leaving) {
    leaving_.push_back(
        {&link, ring::LinkReceiver(link.memory), partition.owner(link.to), number(link)});
    leaving_at_[number(link)] = static_cast<std::uint32_t>(leaving_.size());
  }
  for (ring::ArrivingLink& link : boundary.arriving) {
    arriving_.push_back(
        {&link, ring::LinkSender(*link.memory), partition.owner(link.from), number(link)});
    arriving_at_[number(link)] = static_cast<std::uint32_t>(arriving_.size());
  }
}

bool TorusGateway::is_arriving(unsigned peer, std::uint32_t number) const {
  return number < arriving_at_.size() && arriving_at_[number] != 0 &&
         arriving_[arriving_at_[number] - 1].peer == peer;
}

bool TorusGateway::is_valid(unsigned peer, const PacketRun& run, const PacketHeader& header) const {
  return is_arriving(peer, run.target) && run.channel < kVirtualChannels &&
         header.destination() < shared_.shape.size() &&
         (header.hardware_word() & kHardwareReserved) == 0 &&
         has_valid_order(header, shared_.shape.dims());
}

/// Delivers the whole frame at once: the other end sends only packets for which there is room.
void TorusGateway::deliver(ReceivedFrame& frame) {
  const unsigned peer = frame.view.header.source;
  const std::byte* at = frame.view.packets;
  for (const PacketRun& run : frame.view.runs) at = deliver_run(run, at);
  for (const LinkCredit& credit : frame.view.credits) apply_credit(peer, credit);
  release(frame);
}

const std::byte* TorusGateway::deliver_run(const PacketRun& run, const std::byte* at) {
  Arriving& arriving = arriving_[arriving_at_[run.target] - 1];
  arriving.out.refresh();
  if (arriving.out.room(run.channel) < run.packets)
    throw RunFailed(fmt::format(
        "process {} sent more packets through a link than the link has room for", arriving.peer));
  for (unsigned i = 0; i < run.packets; ++i) {
    const Packet& packet = packet_at(at);
    ring::copy_packet(packet, arriving.out.claim(run.channel));
    at += framed_bytes(packet.header.payload_bytes());
  }
  arriving.out.publish();
  return at;
}

void TorusGateway::apply_credit(unsigned peer, const LinkCredit& credit) {
  if (credit.link >= leaving_at_.size() || leaving_at_[credit.link] == 0 ||
      leaving_[leaving_at_[credit.link] - 1].peer != peer)
    throw RunFailed(fmt::format("process {} gave back slots of a link that does not exist", peer));
  const Leaving& leaving = leaving_[leaving_at_[credit.link] - 1];
  ring::CountWord& popped = *leaving.link->memory.popped;
  // Relaxed: only this thread stores it.
  if (!lies_between(popped.load(std::memory_order_relaxed), credit.popped, leaving.in.popped()))
    throw RunFailed(
        fmt::format("process {} gave back slots of a link that it does not hold", peer));
  // Release: this store replaces LinkReceiver::publish() of the receiver in the other process.
  // Partner: the acquire in LinkSender::refresh().
  popped.store(credit.popped, std::memory_order_release);
}

bool TorusGateway::progress() {
  bool moved = false;
  for (Leaving& leaving : leaving_) moved |= forward(leaving);
  for (Arriving& arriving : arriving_) moved |= send_credit(arriving);
  return moved;
}

bool TorusGateway::forward(Leaving& leaving) {
  leaving.in.look();
  bool moved = false;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    if (leaving.in.waiting(c) > 0) moved |= forward_channel(leaving, c);
  return moved;
}

/// The slots of sent packets stay in use until the other end returns them as credits.
bool TorusGateway::forward_channel(Leaving& leaving, unsigned channel) {
  Outflow& out = this->out(leaving.peer);
  bool moved = false;
  for (; leaving.in.waiting(channel) > 0 && out.room() > 0; moved = true) {
    const Packet& packet = leaving.in.front(channel);
    ring::copy_packet(packet, out.writer().claim());
    out.writer().commit(leaving.number, static_cast<std::uint16_t>(channel),
                        packet.header.without_link_bits());
    leaving.in.pop(channel);
  }
  return moved;
}

bool TorusGateway::send_credit(Arriving& arriving) {
  arriving.out.refresh();
  if (arriving.out.seen() == arriving.credited) return false;
  if (!out(arriving.peer).try_add_credit(arriving.number, arriving.out.seen())) return false;
  arriving.credited = arriving.out.seen();
  return true;
}

}  // namespace toroid::ofi
