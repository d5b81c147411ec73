#include "router/ofi/direct_gateway.hpp"

#include <cstring>

#include "hal/check.hpp"
#include "hal/copy_bytes.hpp"
#include "router/shm/torus/link.hpp"

namespace toroid::ofi {
namespace {

/// The worker that serves the gateway.
constexpr std::size_t kOwnWorker = 0;
/// Slots of the ring from another worker to the gateway.
constexpr std::uint32_t kOutletSlots = 1024;

/// Minimum number of packets in a part, because each part needs a header. Only the last part of a
/// put may have fewer. If a frame has less room, it is sent first.
constexpr std::uint32_t kLeastInPart = 8;
/// Maximum number of packets in a part from another worker, so that the part stays in both workers'
/// caches.
constexpr std::uint32_t kMostInRing = 136;

/// An offer is at most as long as one packet's payload.
static_assert(sizeof(PartOffer) + PutOffer::kMostLabel <= kPayloadBytes);

/// The end of the run that begins at `at`. The next run in the frame begins there.
const std::byte* behind(const PacketRun& run, const std::byte* at) {
  if (run.channel == kPartChannel) return at + framed_bytes(part_at(at));
  for (std::uint32_t i = 0; i < run.packets; ++i)
    at += framed_bytes(packet_at(at).header.payload_bytes());
  return at;
}

std::uint32_t most_in_ring(FrameBuffers& buffers) {
  if (buffers.inward().empty()) return 0;  // there is no other process
  const std::size_t bytes = buffers.limits().frame_bytes;
  return std::min(kMostInRing, FrameWriter(buffers.memory().first(bytes)).part_room());
}

}  // namespace

std::uint32_t DirectGateway::FrameOutlet::room(Rank to) {
  out_ = &gateway_.out(gateway_.partition_.owner(to));
  return out_->room();
}

std::uint32_t DirectGateway::FrameOutlet::part_room(Rank to, std::uint32_t most) {
  out_ = &gateway_.out(gateway_.partition_.owner(to));
  return out_->part_room(std::min(kLeastInPart, most), most);
}

bool DirectGateway::FrameOutlet::try_offer(const OfferedPut& offered) {
  return gateway_.try_offer(offered);
}

void DirectGateway::FrameOutlet::push() {
  (void)gateway_.forward_out();
  gateway_.flush();
}

DirectGateway::RingOutlet::RingOutlet(const Transport& carrier, std::uint32_t slots,
                                      std::uint32_t part_packets)
    : transport(&carrier), parts(part_packets) {
  memory.capacity = slots;
  memory.allocate();
  sender.emplace(memory);
  receiver.emplace(memory);
}

std::uint32_t DirectGateway::RingOutlet::room(Rank) {
  if (sender->room() == 0) sender->refresh();
  return sender->room();
}

DirectGateway::DirectGateway(Transport& transport, FrameBuffers& buffers,
                             std::span<const FlowIdentity> identities,
                             const ring::SharedDeviceState& shared, const Partition& partition,
                             const Placement& placement)
    : Gateway(transport, buffers, partition.processes(), identities),
      shared_(shared),
      partition_(partition),
      reads_(transport,
             [this](unsigned peer, Rank from, std::uint32_t number) {
               done_.push_back({peer, from, number});
             }),
      frame_outlet_(*this),
      ring_outlets_(placement.workers.size()),
      worker_of_(shared.local.size()),
      nodes_(shared.local.size()),
      receipts_(buffers.inward().size(), Receipt(*this)) {
  for (std::size_t w = 0; w < ring_outlets_.size(); ++w)
    if (w != kOwnWorker)
      ring_outlets_[w] =
          std::make_unique<RingOutlet>(transport, kOutletSlots, most_in_ring(buffers));
}

std::unique_ptr<InterprocessDevice> DirectGateway::make_device(const ring::SwitchPlug& plug) {
  const Rank index = shared_.local.index(plug.node);
  Outlet& out =
      plug.worker == kOwnWorker ? static_cast<Outlet&>(frame_outlet_) : *ring_outlets_[plug.worker];
  auto node = std::make_unique<InterprocessDevice>(shared_, plug, out, *this);
  worker_of_[index] = plug.worker;
  if (plug.worker == kOwnWorker) {
    nodes_[index] = node.get();
    rings_to_nodes_ = plug.outward;
    puts_ = &plug.puts;
    own_node_ = plug.node;
    reads_.serve(plug.puts, plug.node);
  }
  return node;
}

bool DirectGateway::is_valid(unsigned, const PacketRun& run, const PacketHeader& header) const {
  return is_here(run.target) && run.channel == 0 && header.destination() == run.target &&
         (header.hardware_word() & kHardwareReserved) == 0 &&
         has_valid_order(header, shared_.shape.dims());
}

bool DirectGateway::is_valid_part(unsigned, const PacketRun& run, const PartHeader& part) const {
  if (!is_here(run.target)) return false;
  if (part.kind == PartKind::packed) return true;
  if (transport().least_read() == 0) return false;
  if (part.kind == PartKind::done) return part.bytes == sizeof(std::uint32_t);
  return part.bytes >= sizeof(PartOffer) && part.bytes <= sizeof(PartOffer) + PutOffer::kMostLabel;
}

/// Delivering the last run may release the frame, so the next run is located beforehand.
void DirectGateway::deliver(ReceivedFrame& frame) {
  if (frame.runs_left == 0) return release(frame);
  const std::byte* at = frame.view.packets;
  for (const PacketRun run : frame.view.runs) {
    const std::byte* const begin = std::exchange(at, behind(run, at));
    if (run.channel == kPartChannel)
      deliver_part(run.target, frame, begin);
    else
      deliver_run(shared_.local.index(run.target), {&frame, begin, run.packets});
  }
}

void DirectGateway::deliver_part(Rank node, ReceivedFrame& frame, const std::byte* at) {
  const PartHeader& part = part_at(at);
  if (part.kind == PartKind::packed) return deliver_packed(node, frame, at);
  const unsigned peer = frame.view.header.source;
  if (part.kind == PartKind::offer) {
    reads_.begin(peer, node, part);
  } else {
    std::uint32_t number;
    std::memcpy(&number, bytes_of(part).data(), sizeof number);
    if (const auto put = reads_.done(peer, number)) puts_->send({*put, true});
  }
  run_consumed(frame);
}

void DirectGateway::deliver_packed(Rank node, ReceivedFrame& frame, const std::byte* at) {
  const PartHeader& part = part_at(at);
  Receipt& receipt = receipts_[frame.operation->user];
  receipt.set(frame);
  puts_->send({.put = {.from = own_node_,
                       .to = node,
                       .window = part.window,
                       .stage = PutStage::packed,
                       .origin = part.origin,
                       .first = part.first,
                       .packets = part.packets,
                       .packed_bytes = part.bytes,
                       .array = at + sizeof(PartHeader),
                       .source = &receipt},
               .is_done = false});
}

std::uint32_t DirectGateway::Receipt::gather(const SendDescriptor&, std::uint32_t,
                                             std::span<std::byte, kPayloadBytes>) {
  check_failed(__FILE__, __LINE__, "is_put", "a part that has arrived");
}

void DirectGateway::deliver_run(Rank index, const ReceivedRun& run) {
  if (nodes_[index] != nullptr) return nodes_[index]->add_run(run);
  ring_outlets_[worker_of_[index]]->inward.emplace_back(index, run);
}

void DirectGateway::run_consumed(ReceivedFrame& frame) {
  if (--frame.runs_left == 0) release(frame);
}

bool DirectGateway::progress() {
  bool moved = forward_out();
  moved |= tell_done();
  moved |= reads_.step();
  for (const auto& outlet : ring_outlets_)
    if (outlet != nullptr) moved |= forward_in(*outlet);
  return moved;
}

bool DirectGateway::forward_out() {
  bool moved = false;
  for (const auto& outlet : ring_outlets_) {
    if (outlet == nullptr) continue;
    moved |= forward_packets(*outlet);
    moved |= forward_parts(*outlet);
    moved |= forward_offers(*outlet);
  }
  return moved;
}

bool DirectGateway::forward_packets(RingOutlet& outlet) {
  bool moved = false;
  while (const Packet* packet = outlet.receiver->front()) {
    const Rank to = packet->header.destination();
    if (frame_outlet_.room(to) == 0) break;
    ring::copy_packet(*packet, frame_outlet_.writer()->claim());
    frame_outlet_.writer()->commit(to, 0, packet->header.without_link_bits());
    outlet.receiver->pop();
    moved = true;
  }
  if (moved) outlet.receiver->publish();
  return moved;
}

bool DirectGateway::forward_parts(RingOutlet& outlet) {
  bool moved = false;
  for (; const PackedPutRing::Slot* part = outlet.parts.front(); moved = true) {
    Outflow& out = this->out(partition_.owner(part->to));
    const std::uint32_t packets = part->header.packets;
    if (out.part_room(packets, packets) < packets) break;
    copy_bytes(out.writer().claim_part(packets).data(), part->bytes.data(), part->header.bytes);
    out.writer().commit_part(part->to, part->header);
    outlet.parts.pop();
  }
  return moved;
}

bool DirectGateway::forward_offers(RingOutlet& outlet) {
  bool moved = false;
  for (; outlet.offers.read_available() > 0 && try_offer(outlet.offers.front()); moved = true)
    outlet.offers.pop();
  return moved;
}

bool DirectGateway::try_offer(const OfferedPut& offered) {
  const PutDescriptor& put = offered.put;
  const unsigned peer = partition_.owner(put.to);
  Outflow& out = this->out(peer);
  if (out.part_room(1, 1) == 0) return false;
  const PartOffer offer = reads_.expose(peer, offered);
  const std::span<std::byte> place = out.writer().claim_part(1);
  std::memcpy(place.data(), &offer, sizeof offer);
  std::memcpy(place.data() + sizeof offer, offered.offer.label.data(), offered.offer.label_bytes);
  out.writer().commit_part(
      put.to, {.origin = put.origin,
               .first = put.first,
               .packets = put.packets,
               .bytes = static_cast<std::uint32_t>(sizeof offer) + offered.offer.label_bytes,
               .window = put.window,
               .kind = PartKind::offer,
               .reserved = {}});
  return true;
}

bool DirectGateway::tell_done() {
  return std::erase_if(done_, [this](const Done& done) { return try_tell(done); }) > 0;
}

bool DirectGateway::try_tell(const Done& done) {
  Outflow& out = this->out(done.peer);
  if (out.part_room(1, 1) == 0) return false;
  std::memcpy(out.writer().claim_part(1).data(), &done.number, sizeof done.number);
  out.writer().commit_part(done.from, {.origin = 0,
                                       .first = 0,
                                       .packets = 1,
                                       .bytes = sizeof done.number,
                                       .window = 0,
                                       .kind = PartKind::done,
                                       .reserved = {}});
  return true;
}

bool DirectGateway::forward_in(RingOutlet& outlet) {
  bool moved = false;
  while (!outlet.inward.empty()) {
    auto& [index, run] = outlet.inward.front();
    moved |= copy_to_ring(run, rings_to_nodes_[index]) > 0;
    if (run.packets > 0) break;
    run_consumed(*run.frame);
    outlet.inward.pop_front();
  }
  return moved;
}

std::uint32_t DirectGateway::copy_to_ring(ReceivedRun& run, ring::TaggedSender& ring) {
  if (ring.room() == 0) ring.refresh();
  const std::uint32_t count = std::min(run.packets, ring.room());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Packet& packet = packet_at(run.at);
    copy_payload(ring.claim().payload.data(), packet.payload.data(), packet.header.payload_bytes());
    ring.commit(packet.header);
    run.at += framed_bytes(packet.header.payload_bytes());
  }
  ring.publish();
  run.packets -= count;
  return count;
}

}  // namespace toroid::ofi
