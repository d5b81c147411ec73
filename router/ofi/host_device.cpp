#include "router/ofi/host_device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hal/device.hpp"
#include "hal/packet.hpp"
#include "hal/put.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "router/ofi/frame.hpp"
#include "router/shm/direct/direct_device.hpp"

namespace toroid::ofi {
namespace {

/// Writes packets for one destination in their place in a frame.
struct FramePlace {
  FrameWriter& writer;
  Rank to;
  Packet& claim() const { return writer.claim(); }
  void commit(const PacketHeader& header) const { writer.commit(to, 0, header); }
};

}  // namespace

bool HostDevice::send_to_other_process() {
  const SendDescriptor& front = fifo(kOnly).front();
  return front.is_put ? pack_some(front) : send_packets(front);
}

bool HostDevice::send_packets(const SendDescriptor& front) {
  const Rank to = front.header.destination();
  const std::uint32_t count = std::min(front.left(), outlet_->room(to));
  if (count == 0) return false;
  if (FrameWriter* writer = outlet_->writer()) {
    write_front(kOnly, count, FramePlace{*writer, to});
  } else {
    write_front(kOnly, count, *outlet_->ring());
    outlet_->ring()->publish();
  }
  count_hops(count);
  return true;
}

/// The put stays in the FIFO until all of it is packed.
bool HostDevice::pack_some(const SendDescriptor& front) {
  if (!packing_) packing_ = front.source->put(front);
  const PutDescriptor put = *packing_;
  const std::uint32_t count = outlet_->part_room(put.to, put.packets - packed_);
  if (count == 0) return false;
  const std::size_t bytes = front.source->pack(front, packed_, count, outlet_->claim_part(count));
  outlet_->commit_part(put.to, {.origin = put.origin,
                                .first = put.first + packed_,
                                .packets = count,
                                .bytes = static_cast<std::uint32_t>(bytes),
                                .window = put.window,
                                .reserved = 0,
                                .more_reserved = {}});
  count_packed();
  packed_ += count;
  if (packed_ < put.packets) return true;
  packing_.reset();
  packed_ = 0;
  pop_put(kOnly);
  finish(put);
  return true;
}

std::size_t HostDevice::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = DirectDevice::receive(sink, limit);
  while (count < limit && !runs_.empty()) {
    count += receive_from(runs_.front(), sink, limit - count);
    if (runs_.front().packets > 0) break;
    owner_->run_consumed(*runs_.front().frame);
    runs_.pop_front();
  }
  set_delivery(count == limit);
  return count;
}

std::size_t HostDevice::receive_from(ReceivedRun& run, PacketSink& sink, std::size_t limit) {
  const std::size_t count = std::min<std::size_t>(limit, run.packets);
  for (std::size_t i = 0; i < count; ++i) {
    const Packet& packet = packet_at(run.at);
    count_delivered();
    sink.arrive(packet);
    run.at += framed_bytes(packet.header.payload_bytes());
  }
  run.packets -= static_cast<std::uint32_t>(count);
  return count;
}

}  // namespace toroid::ofi
