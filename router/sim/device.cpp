#include "router/sim/device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/processor.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/network.hpp"

namespace toroid::sim {

SimDevice::SimDevice(Network& network, const Machine& machine, Rank rank, FifoTying tying)
    : network_(&network),
      machine_(&machine),
      rank_(rank),
      here_(network.shape().coord(rank)),
      fifos_(tie_fifos(network.shape(), machine.injection_fifos, machine.injection_fifo_chunks,
                       tying)),
      fifo_counters_(fifos_.size()) {}

void SimDevice::inject(std::span<const Injection> injections) {
  for (const Injection& injection : injections)
    for (SendDescriptor one = injection.descriptor; one.left() > 0; ++one.first) {
      clock_ += machine_->inject_cycles;
      if (!accept(one, injection.fifo)) fifos_[injection.fifo].used -= one.header.chunks();
    }
}

/// A malformed header goes no further than this.
bool SimDevice::accept(const SendDescriptor& next, unsigned fifo) {
  Route route;
  if (validate(next.header, shape(), here_, route) != HeaderError::none) {
    ++refused_;
    return false;
  }
  const FlightId id = network_->flights().add(next, route);
  network_->number(rank_, id);
  network_->schedule_injection(clock_, place(), fifo, id);
  ++injected_;
  FifoCounters& counters = fifo_counters_[fifo];
  ++counters.packets;
  counters.most_chunks =
      std::max(counters.most_chunks, static_cast<std::uint16_t>(fifos_[fifo].used));
  return true;
}

std::size_t SimDevice::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (; count < limit && received_head_ != kNoFlight; ++count) {
    const FlightId id = received_head_;
    received_head_ = network_->flight(id).next;
    Packet packet;
    network_->flights().copy_out(id, packet);
    network_->release_reception(turn_began_, place(), id);
    clock_ += machine_->receive_cycles;
    ++received_;
    sink.arrive(packet);
  }
  return count;
}

bool SimDevice::try_wake_at(Tick when) {
  network_->calendar().at(when, {EventKind::alarm, place(), 0});
  return true;
}

bool SimDevice::on_delivered(Tick now, FlightId id) {
  if (received_head_ == kNoFlight)
    received_head_ = id;
  else
    network_->flights()[received_tail_].next = id;
  received_tail_ = id;
  return wake(now);
}

bool SimDevice::on_fifo_room(Tick now, unsigned fifo, unsigned chunks) {
  fifos_[fifo].used -= chunks;
  return output_waiting_ && wake(now);
}

/// While the processor is busy its next turn waits until it is free.
bool SimDevice::wake(Tick now) {
  if (std::exchange(scheduled_, true)) return false;
  if (clock_ <= now) return true;
  network_->calendar().at(clock_, {EventKind::turn, place(), 0});
  return false;
}

void SimDevice::turn(Tick now) {
  clock_ = turn_began_ = now;
  const TurnResult result = processor_->turn();
  output_waiting_ = result.output_waiting;
  scheduled_ = result.again || received_head_ != kNoFlight;
  if (scheduled_) network_->calendar().at(std::max(clock_, now + 1), {EventKind::turn, place(), 0});
}

}  // namespace toroid::sim
