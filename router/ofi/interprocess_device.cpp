#include "router/ofi/interprocess_device.hpp"

#include <algorithm>

#include "hal/packet.hpp"

namespace toroid::ofi {
namespace {

/// A put is offered for reading only if each of its stretches has at least least_read() /
/// kStretches bytes, because each stretch needs a separate read.
constexpr std::size_t kStretches = 8;

/// Writes packets for one destination directly into a frame.
struct FramePlace {
  FrameWriter& writer;
  Rank to;
  Packet& claim() const { return writer.claim(); }
  void commit(const PacketHeader& header) const { writer.commit(to, 0, header); }
};

}  // namespace

bool InterprocessDevice::send_to_other_process() {
  const SendDescriptor& front = fifo(kOnly).front();
  return front.is_put ? send_put(front) : send_packets(front);
}

bool InterprocessDevice::send_packets(const SendDescriptor& front) {
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

/// The put stays in the FIFO until it is completely packed or has been offered.
bool InterprocessDevice::send_put(const SendDescriptor& front) {
  if (!sending_) {
    sending_ = {front.source->put(front), {}};
    const std::size_t least = outlet_->least_read();
    if (least > 0 && std::size_t{sending_->put.packets} * kPayloadBytes >= least)
      sending_->offer = front.source->offer(front, least / kStretches);
  }
  return sending_->offer.memory.empty() ? pack_some(front) : try_offer();
}

/// The put is not finished here: its completion comes when the receiver has read it.
bool InterprocessDevice::try_offer() {
  if (!outlet_->try_offer(*sending_)) return false;
  sending_.reset();
  pop_put(kOnly);
  return true;
}

bool InterprocessDevice::pack_some(const SendDescriptor& front) {
  const PutDescriptor put = sending_->put;
  const std::uint32_t count = outlet_->part_room(put.to, put.packets - packed_);
  if (count == 0) return false;
  const std::size_t bytes = front.source->pack(front, packed_, count, outlet_->claim_part(count));
  outlet_->commit_part(put.to, {.origin = put.origin,
                                .first = put.first + packed_,
                                .packets = count,
                                .bytes = static_cast<std::uint32_t>(bytes),
                                .window = put.window,
                                .kind = PartKind::packed,
                                .reserved = {}});
  count_packed();
  packed_ += count;
  if (packed_ < put.packets) return true;
  sending_.reset();
  packed_ = 0;
  pop_put(kOnly);
  finish(put);
  return true;
}

/// If a put is read remotely, its note on the way back goes to the local reader (RemoteReads). The
/// reader then reads the bytes or, when they have landed, tells the sender in the other process.
void InterprocessDevice::take_note(const ring::PutNote& note) {
  const bool is_read = note.put.stage == PutStage::offered || note.put.stage == PutStage::landed;
  if (note.is_done && is_read)
    note.put.source->put_done(note.put);
  else
    DirectDevice::take_note(note);
}

std::size_t InterprocessDevice::receive(PacketSink& sink, std::size_t limit) {
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

std::size_t InterprocessDevice::receive_from(ReceivedRun& run, PacketSink& sink,
                                             std::size_t limit) {
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
