#include "packet/exchange/ring_shift.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/node/message_record.hpp"
#include "packet/node/node.hpp"

namespace toroid {

void RingShift::check(std::uint64_t bytes) {
  if (bytes > UINT32_MAX)
    throw BadInput(
        fmt::format("a block of {} bytes is longer than the 4 GiB that a packet's "
                    "argument can count",
                    bytes));
}

RingShift::RingShift(Node& node, HandlerId first_handler, Rank to, Rank from,
                     std::array<std::span<std::byte>, 2> buffers)
    : node_(&node),
      first_handler_(first_handler),
      from_(from),
      alone_(to == node.rank()),
      buffers_(buffers),
      streams_{Stream(node, first_handler, to, buffers[0]),
               Stream(node, first_handler, to, buffers[1])} {
  node.on(first_handler, [this](const Packet& packet) { receive(packet); });
  node.on(static_cast<HandlerId>(first_handler + 1),
          [this](const Packet&) { on_acknowledgement(); });
}

void RingShift::start() {
  if (alone_) return;
  waiting_ = acknowledged_ < steps_;
  if (!waiting_) streams_[current()].start();
}

void RingShift::on_acknowledgement() {
  ++acknowledged_;
  note_received(static_cast<HandlerId>(first_handler_ + 1), RankRecord::kEverybody, acknowledged_);
  if (std::exchange(waiting_, false)) streams_[current()].start();
}

void RingShift::advance() {
  if (alone_) return;
  ++steps_;
  note_received(first_handler_, from_, steps_);
  node_->post(from_, static_cast<HandlerId>(first_handler_ + 1), {});
}

void RingShift::note_received(HandlerId handler, Rank from, std::uint64_t count) const {
  if (RankRecord* const record = node_->record())
    record->received(node_->now(), handler, from, count);
}

void RingShift::receive(const Packet& packet) {
  const std::span<std::byte> next = buffers_[1 - current()];
  const std::uint32_t at = packet.header.argument();
  const unsigned bytes = packet.header.payload_bytes();
  TOROID_CHECK_LE(at + std::size_t{bytes}, next.size());
  copy_payload(next.data() + at, packet.payload.data(), bytes);
  arrived_.bump();
}

}  // namespace toroid
