// The model for every machine: any number of links, failed links, probes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/arbitration_phase.hpp"
#include "router/sim/event.hpp"
#include "router/sim/event_phase.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/network.hpp"
#include "router/sim/network_state.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"

namespace toroid::sim {

/// event_phase.hpp and arbitration_phase.hpp have the two halves of its cycle.
class GeneralNetwork final : public Network {
 public:
  GeneralNetwork(const Shape& shape, const Machine& machine, const RoutingOptions& options,
                 Range block, FlightMemory& store, SimProbe* probe);

  void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) override {
    const Input input = Input::fifo(shape_.links(), fifo);
    calendar_.at(at, {EventKind::injected, node, input.index(), flight});
  }
  void schedule(const WindowMessage& message, std::size_t neighbour) override;
  Tick next() const override { return calendar_.next(); }
  std::size_t run_events(Tick now, ProcessorEvents& events) override {
    return sim::run_events(state_, now, fetches_early_, events);
  }
  void arbitrate(Tick now) override { arbitration_.run(now); }
  void end_cycle(Tick now) override { calendar_.end_cycle(now); }
  void serialize(Archive& archive) override;

  std::uint64_t link_errors(Rank node, Direction link) const override {
    return state_.protocol.is_on() ? state_.protocol.errors(node, link) : 0;
  }
  void add_to(FabricCounters& counters) const override;
  std::uint64_t stalled_cycles(Tick now, Rank rank, unsigned fifo) const override {
    return state_.routers.stalled_cycles(now, rank - block_.first, fifo);
  }
  unsigned inputs() const override { return state_.routers.inputs(); }
  std::optional<RoutedPacket> head(Rank rank, Input s) const override;
  unsigned used(Rank rank, Input s) const override {
    return state_.routers.queue(rank - block_.first, s).used;
  }
  std::span<const LinkCounters> link_counters() const override { return state_.routers.counters(); }

 private:
  void eject_waiting(Tick now, Rank node) override {
    if (state_.routers.state(node).at_destination != 0) state_.eject(now, node);
  }

  NetworkState state_;
  bool fetches_early_;
  ArbitrationPhase arbitration_;
};

}  // namespace toroid::sim
