#include "router/ofi/torus_gateway.hpp"

#include <fmt/core.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "router/ofi/buffers.hpp"
#include "router/ofi/flow.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/wire.hpp"
#include "router/placement/partition.hpp"
#include "router/shm/device.hpp"
#include "router/shm/torus/boundary_links.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ofi {

TorusGateway::TorusGateway(Wire& wire, Buffers& buffers, std::span<const FlowIdentity> identities,
                           const ring::Machinery& machinery, const Partition& partition,
                           ring::BoundaryLinks& boundary)
    : Gateway(wire, buffers, partition.processes(), identities),
      machinery_(machinery),
      leaving_at_(std::size_t{machinery.shape.size()} * machinery.shape.links()),
      arriving_at_(leaving_at_.size()) {
  const auto number = [&](const auto& link) {
    return ring::BoundaryLinks::number(machinery.shape, link.to, link.travelling);
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

bool TorusGateway::is_arriving(unsigned peer, std::uint32_t port) const {
  return port < arriving_at_.size() && arriving_at_[port] != 0 &&
         arriving_[arriving_at_[port] - 1].peer == peer;
}

bool TorusGateway::is_valid(unsigned peer, const Run& run, const PacketHeader& header) const {
  return is_arriving(peer, run.port) && run.channel < kVirtualChannels &&
         header.destination() < machinery_.shape.size() &&
         (header.hardware_word() & kHardwareReserved) == 0 &&
         has_valid_order(header, machinery_.shape.dims());
}

/// All of it at once: there is room, else the other end would not have sent it.
void TorusGateway::take(Arrival& arrival) {
  const unsigned peer = arrival.view.header.source;
  const std::byte* at = arrival.view.packets;
  for (const Run& run : arrival.view.runs) at = put(run, at);
  for (const Return& back : arrival.view.returns) give_back(peer, back);
  release(arrival);
}

const std::byte* TorusGateway::put(const Run& run, const std::byte* at) {
  Arriving& arriving = arriving_[arriving_at_[run.port] - 1];
  arriving.out.refresh();
  if (arriving.out.room(run.channel) < run.packets)
    throw RunFailed(fmt::format("process {} sent more packets through a link than it has room for",
                                arriving.peer));
  for (unsigned i = 0; i < run.packets; ++i) {
    const Packet& packet = packet_at(at);
    ring::copy_packet(packet, arriving.out.claim(run.channel));
    at += framed_bytes(packet.header.payload_bytes());
  }
  arriving.out.publish();
  return at;
}

void TorusGateway::give_back(unsigned peer, const Return& back) {
  if (back.port >= leaving_at_.size() || leaving_at_[back.port] == 0 ||
      leaving_[leaving_at_[back.port] - 1].peer != peer)
    throw RunFailed(fmt::format("process {} gave back slots of a link that does not exist", peer));
  // Release: as in LinkReceiver::publish(), in whose place this stands. Partner: the acquire in
  // LinkSender::refresh().
  leaving_[leaving_at_[back.port] - 1].link->memory.popped->store(back.popped,
                                                                  std::memory_order_release);
}

bool TorusGateway::collect() {
  bool moved = false;
  for (Leaving& leaving : leaving_) moved |= send(leaving);
  for (Arriving& arriving : arriving_) moved |= tell(arriving);
  return moved;
}

bool TorusGateway::send(Leaving& leaving) {
  leaving.in.look();
  bool moved = false;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    if (leaving.in.waiting(c) > 0) moved |= send_channel(leaving, c);
  return moved;
}

/// The slots stay taken until the other end has given them back.
bool TorusGateway::send_channel(Leaving& leaving, unsigned channel) {
  Outflow& out = this->out(leaving.peer);
  bool moved = false;
  for (; leaving.in.waiting(channel) > 0 && out.room() > 0; moved = true) {
    const Packet& packet = leaving.in.front(channel);
    ring::copy_packet(packet, out.writer().claim());
    out.writer().commit(leaving.port, static_cast<std::uint16_t>(channel),
                        packet.header.without_link_bits());
    leaving.in.pop(channel);
  }
  return moved;
}

bool TorusGateway::tell(Arriving& arriving) {
  arriving.out.refresh();
  if (arriving.out.seen() == arriving.told) return false;
  if (!out(arriving.peer).try_return(arriving.port, arriving.out.seen())) return false;
  arriving.told = arriving.out.seen();
  return true;
}

}  // namespace toroid::ofi
