#include "router/shm/direct/direct_device.hpp"

#include <algorithm>
#include <cstring>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"

namespace toroid::ring {
namespace {

/// A rank on a switch has a single FIFO. It has as much room as all normal injection FIFOs of a
/// hardware node together, but at most InjectionFifos::kMostChunks.
std::vector<InjectionFifo> one_fifo(const Shape& shape, const Machine& machine) {
  const unsigned all = machine.injection_fifos * machine.injection_fifo_chunks;
  auto fifos = tie_fifos(shape, 1, std::min(all, InjectionFifos::kMostChunks), FifoTying::any);
  fifos.front().directions.add(kHighPriority);  // a switch has no priorities
  fifos.front().directions.add(shape.within_node());
  return fifos;
}

}  // namespace

DirectDevice::DirectDevice(const SharedDeviceState& shared, const SwitchPlug& plug)
    : RingDevice(shared, plug.node, one_fifo(shared.shape, shared.machine)),
      out_(plug.outward),
      puts_(&plug.puts) {
  for (TaggedMemory& memory : plug.inward) in_.emplace_back(memory);
}

void DirectDevice::take_note(const PutNote& note) {
  if (note.is_done)
    complete(note.put);
  else
    put_.push_back(note.put);
}

bool DirectDevice::has_news() const {
  if (!put_.empty()) return true;
  return std::any_of(in_.begin(), in_.end(),
                     [](const TaggedReceiver& ring) { return ring.front() != nullptr; });
}

bool DirectDevice::try_pass(const SendDescriptor& descriptor, std::span<const std::byte> payload) {
  TOROID_CHECK_IN_CHECKED_BUILD(payload.size() == descriptor.header.payload_bytes());
  TaggedSender* const ring = open_ring(descriptor, 1);
  if (ring == nullptr) return false;
  if (!payload.empty()) std::memcpy(ring->claim().payload.data(), payload.data(), payload.size());
  ring->commit(descriptor.header);
  count_bytes(payload.size());
  count_sent(descriptor, *ring);
  return true;
}

/// Packets go straight into the ring if open_ring() finds one. Otherwise they reach it later,
/// through the FIFO.
void DirectDevice::inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned f) {
  check_injection(descriptor, count, f);
  const SendDescriptor some = descriptor.next(count);
  TaggedSender* const ring = some.is_put ? nullptr : open_ring(some, count);
  if (ring == nullptr) return RingDevice::inject(descriptor, count, f);
  write(some, count, *ring);
  count_sent(some, *ring);
  fifos().release(f, some.header.chunks() * count);
}

/// The ring to the packets' destination, if the FIFO is empty and the ring has room for all of
/// them; otherwise null.
TaggedSender* DirectDevice::open_ring(const SendDescriptor& packets, std::uint32_t count) {
  const LocalNodes& local = shared().local;
  const Rank to = destination(packets.header);
  if (!fifo(kOnly).empty() || !is_valid(packets.header) || !local.has(to)) return nullptr;
  TaggedSender& ring = out_[local.index(to)];
  if (ring.room() < count) (void)ring.refresh();
  return ring.room() < count ? nullptr : &ring;
}

/// Publishes packets that bypassed the FIFO. Counts them as if they had been alone in it.
void DirectDevice::count_sent(const SendDescriptor& packets, TaggedSender& ring) {
  ring.publish();
  count_injected(packets, kOnly, packets.header.chunks() * packets.left());
  count_hops(packets.left());
}

/// Sends packets as long as the FIFO's head finds room.
void DirectDevice::forward() {
  while (!fifo(kOnly).empty() && send_some()) continue;
}

bool DirectDevice::send_some() {
  const SendDescriptor& front = fifo(kOnly).front();
  const LocalNodes& local = shared().local;
  const Rank to = destination(front.header);
  if (!local.has(to)) return send_to_other_process();
  if (front.is_put) {
    puts_->send({take_put(kOnly), false});
    return true;
  }
  TaggedSender& ring = out_[local.index(to)];
  if (ring.room() == 0 && !ring.refresh()) return false;
  const std::uint32_t count = std::min(front.left(), ring.room());
  write_front(kOnly, count, ring);
  ring.publish();
  count_hops(count);
  return true;
}

/// Each call begins with another ring, so that a worker that sends endlessly cannot starve the
/// others.
std::size_t DirectDevice::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  first_ = first_ + 1 < in_.size() ? first_ + 1 : 0;
  for (std::size_t i = first_; i < in_.size(); ++i)
    count += receive_from(in_[i], sink, limit - count);
  for (std::size_t i = 0; i < first_; ++i) count += receive_from(in_[i], sink, limit - count);
  count += receive_puts(sink, limit - count);
  deliverable_ = count == limit;
  return count;
}

std::size_t DirectDevice::receive_puts(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (; count < limit && !put_.empty(); ++count) {
    const PutDescriptor put = put_.front();
    put_.pop_front();
    count_put(put, sink.arrive(put));
    puts_->send({put, true});
  }
  return count;
}

std::size_t DirectDevice::receive_from(TaggedReceiver& ring, PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (const Packet* packet; count < limit && (packet = ring.front()) != nullptr; ++count) {
    count_delivered();
    sink.arrive(*packet);
    ring.pop();
  }
  return count;
}

void DirectDevice::give_back() {
  for (TaggedReceiver& ring : in_) ring.publish();
}

}  // namespace toroid::ring
