// The fast model of the common machine: at most three dimensions and 32 sources per router, small
// buffers, nothing failed, nobody who looks. Same rules, same results as GeneralNetwork.
//
// A router is one record, a packet under way one word that moves from record to record; its header
// and payload are touched at its ends only. Events stand in lines by kind, so that each kind has a
// loop without branches that depend on what the network holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/event.hpp"
#include "router/sim/event_wheel.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/lean/lean_state.hpp"
#include "router/sim/lean/packet_word.hpp"
#include "router/sim/network.hpp"
#include "router/sim/probe.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

class LeanNetwork final : public Network {
 public:
  static bool serves(const Shape& shape, const Machine& machine, const RoutingOptions& options,
                     const SimProbe* probe);
  /// REQUIRES: serves(...) is true.
  LeanNetwork(const Shape& shape, const Machine& machine, const RoutingOptions& options,
              Range block);

  void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) override {
    injections_.schedule(at, {lean::PacketWord(flights_[flight], flight),
                              lean::Place::of(node, state_.channels + fifo)});
  }
  Tick next() const override;
  std::size_t run_events(Tick now, ProcessorEvents& events) override;
  void arbitrate(Tick now) override;
  void end_cycle(Tick now) override;
  void serialize(Archive& archive) override;

  void add_to(FabricCounters& counters) const override;
  std::uint64_t stalled_cycles(Tick now, Rank rank, unsigned fifo) const override;
  unsigned sources() const override { return state_.sources; }
  std::optional<RoutedPacket> head(Rank rank, Source source) const override;
  unsigned used(Rank rank, Source source) const override {
    return state_.records[rank - block_.first].used[source.index()];
  }
  std::span<const LinkCounters> link_counters() const override { return {}; }

 private:
  /// A packet that has been chosen to leave.
  struct Departing {
    Rank node;
    std::uint8_t link;
    std::uint8_t source;
    std::uint8_t channel;
  };
  static constexpr std::size_t kSitesAtOnce = 48;  ///< routers that choose, then send

  void irregular(Tick now, Event event, ProcessorEvents& events);
  void eject_waiting(Tick now, Rank node) override {
    if (state_.records[node].at_destination != 0) eject(now, node);
  }
  void eject(Tick now, Rank node);
  void choose(Tick now, std::span<const Rank> sites, std::size_t ahead);
  unsigned expand(std::span<const Rank> sites, std::size_t ahead);
  void depart(Tick now);
  template <bool alone>
  std::size_t depart_alike(Tick now, std::size_t first);
  void announce_tokens(Tick now, Rank node, unsigned source, unsigned chunks);
  void send_away(Tick now, Rank neighbour, unsigned source, lean::PacketWord packet);

  lean::LeanState state_;
  EventWheelOf<lean::Hop> injections_;  ///< packets that processors are writing into their FIFOs
  std::vector<lean::Hop> injected_;     ///< those of the present cycle
  ChannelRule channel_rule_;
  SenderArbitration arbitration_;
  Precedence precedence_;
  unsigned wire_overhead_bytes_;
  bool fetches_early_;
  std::array<std::uint32_t, kSitesAtOnce * lean::kMostLinks + 8> requested_;  ///< node · 8 + link
  std::array<Rank, kSitesAtOnce + 1> receiving_;
  std::size_t receiving_count_ = 0;
  std::array<Departing, kSitesAtOnce * lean::kMostLinks> departing_;
  std::size_t departing_count_ = 0;
  std::uint64_t packet_hops_ = 0;
};

}  // namespace toroid::sim
