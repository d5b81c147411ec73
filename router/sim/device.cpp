#include "router/sim/device.hpp"

#include <fmt/core.h>

#include <span>

#include "hal/check.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "router/sim/flight_pool.hpp"

namespace toroid::sim {

SimDevice::SimDevice(Network& network, const Machine& machine, Rank rank, const FifoLinks& tying,
                     unsigned lane)
    : network_(&network),
      rank_(rank),
      receive_cycles_(machine.receive_cycles),
      fifos_(fifos_of_node(network.shape(), machine, tying)),
      inject_cycles_(machine.inject_cycles),
      machine_(&machine),
      written_(fifos_.size()),
      here_(network.shape().coord(rank)),
      lane_(lane),
      actor_(place()) {}

/// An engine has no first turn: it has nothing to do before its processor's first turn.
SimDevice::SimDevice(SimDevice* processors)
    : network_(processors->network_),
      rank_(processors->rank_),
      scheduled_(false),
      is_engine_(true),
      receive_cycles_(processors->machine_->dma_receive_cycles),
      inject_cycles_(processors->machine_->dma_inject_cycles),
      machine_(processors->machine_),
      other_(processors),
      here_(processors->here_),
      lane_(processors->lane_),
      actor_(network_->block().count + place()) {
  processors->other_ = this;
}

/// Refuses malformed headers. All packets of a descriptor have the same header. A descriptor made
/// by the node itself comes with its route, which then needs no validation.
void SimDevice::inject(const SendDescriptor& descriptor, std::uint32_t count, unsigned fifo) {
  check_injection(descriptor, count, fifo);
  const PacketHeader& header = descriptor.header;
  Network& network = *network_;
  Route route = descriptor.route;
  if (checked_.check(header, network.shape()) != HeaderError::none ||
      ((route.directions.empty() || route.directions != header.hints()) &&
       validate_way(header, network.shape(), here_, route) != HeaderError::none)) {
    clock_ += Tick{inject_cycles_} * count;
    fifos().release(fifo, header.chunks() * count);
    refused_ += count;
    has_refused_ = true;
    return;
  }
  for (std::uint32_t n = descriptor.first; n < descriptor.first + count; ++n) {
    clock_ += inject_cycles_;
    const FlightId id = network.flights().add(descriptor, n, route, is_engine_);
    network.number(rank_, id);
    // Turns come after the events of their cycle. So even a packet that takes no time to write
    // reaches the FIFO one cycle later.
    network.schedule_injection(std::max(clock_, turn_began_ + 1), place(), fifo, id);
  }
  totals_.last_sent = clock_;
  totals_.sent_packets += count;
  totals_.sent_bytes += std::uint64_t{machine_->wire_bytes(header.chunks())} * count;
  node().note_written(fifo, count);
}

void SimDevice::note_written(unsigned fifo, std::uint32_t count) {
  written_[fifo].note(count, fifos_.used(fifo));
}

std::size_t SimDevice::receive(PacketSink& sink, std::size_t limit) {
  std::size_t count = 0;
  for (; count < limit && received_head_ != kNoFlight; ++count) {
    const FlightId id = received_head_;
    received_head_ = network_->flights()[id].next;
    Packet packet;
    network_->flights().copy_out(id, packet);
    network_->release_reception(turn_began_, place(), id);
    clock_ += receive_cycles_;
    totals_.received_bytes += machine_->wire_bytes(packet.header.chunks());
    sink.arrive(packet);
  }
  totals_.received_packets += count;
  return count;
}

std::uint64_t SimDevice::let_die(Processor& dead) {
  std::uint64_t packets = 0;
  totals_.finished = processor_->finished_at();
  processor_ = &dead;
  is_dead_ = true;
  while (received_head_ != kNoFlight) {
    const FlightId id = received_head_;
    received_head_ = network_->flights()[id].next;
    network_->lose(id);
    ++packets;
  }
  return packets;
}

void SimDevice::compute(Tick cycles) {
  if (cycles > kLastTick - std::min(clock_, kLastTick)) refuse_time();
  clock_ += cycles;
}

void SimDevice::refuse_time() const {
  throw RunFailed(
      fmt::format("virtual time would pass 2^62 cycles, its limit, because the work of this node "
                  "takes too long on machine '{}'",
                  machine_->name));
}

bool SimDevice::try_wake_at(Tick when) {
  TOROID_CHECK_LT(present_cycle(), when);
  if (when > kLastTick) refuse_time();
  network_->at(when, {EventKind::alarm, actor(), 0});
  return true;
}

/// Packets that arrive in the same cycle are kept in an order that is drawn, so that no dimension
/// comes first.
bool SimDevice::on_delivered(Tick now, unsigned input, FlightId id) {
  Flight& flight = network_->flights()[id];
  flight.delivered_from = static_cast<std::uint8_t>(input) & 63u;
  flight.next = kNoFlight;
  if (delivered_at_ == now) [[unlikely]] {
    insert_delivered(id);
    return wake(now);
  }
  delivered_at_ = now;
  received_before_ = received_head_ == kNoFlight ? kNoFlight : received_tail_;
  FlightId& place =
      received_head_ == kNoFlight ? received_head_ : network_->flights()[received_tail_].next;
  place = received_tail_ = id;
  return wake(now);
}

void SimDevice::insert_delivered(FlightId id) {
  FlightPool& flights = network_->flights();
  const auto lot = [&](FlightId packet) {
    return mix64(delivered_at_ << 6 | flights[packet].delivered_from);
  };
  FlightId* place =
      received_before_ == kNoFlight ? &received_head_ : &flights[received_before_].next;
  const std::uint64_t own = lot(id);
  while (*place != kNoFlight && lot(*place) < own) place = &flights[*place].next;
  if (*place == kNoFlight) received_tail_ = id;
  flights[id].next = *place;
  *place = id;
}

bool SimDevice::on_fifo_room(Tick now, unsigned fifo, unsigned chunks) {
  fifos_.release(fifo, chunks);
  return output_waiting_ && wake(now);
}

/// Wakes the actor. Returns true if it takes a turn now. If it is busy, a turn is scheduled for the
/// cycle in which it is free.
bool SimDevice::wake(Tick now) {
  if (std::exchange(scheduled_, true)) return false;
  if (clock_ <= now) return true;
  network_->at(clock_, {EventKind::turn, actor(), 0});
  return false;
}

/// REQUIRES: `when` is after the present cycle.
void SimDevice::wake_after(Tick when) {
  if (!std::exchange(scheduled_, true))
    network_->at(std::max(clock_, when), {EventKind::turn, actor(), 0});
}

/// After an engine's turn its processor wakes: it may be waiting for data that the engine has
/// moved.
void SimDevice::turn(Tick now) {
  if (now > kLastTick) [[unlikely]]
    refuse_time();
  clock_ = turn_began_ = now;
  const TurnResult result = processor_->turn();
  output_waiting_ = result.output_waiting;
  scheduled_ = result.again || received_head_ != kNoFlight;
  if (scheduled_) network_->at(std::max(clock_, now + 1), {EventKind::turn, actor(), 0});
  if (is_engine_) other_->wake_after(std::max(clock_, now + 1));
}

}  // namespace toroid::sim
