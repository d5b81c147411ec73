// The fast model for common machines: at most three dimensions and 32 inputs per router, small
// buffers, the default FairnessRule and RouterDelays, transit before injection, no failures, and no
// probe that follows packets. Its rules and results are those of GeneralNetwork.
//
// A router is one record, and a packet in flight is one word that moves from record to record;
// header and payload are accessed only at the two ends of its route. Events are kept in lines by
// kind, so that each kind has a loop without branches that depend on the contents of the network.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/link_order.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/event.hpp"
#include "router/sim/event_wheel.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/lean/lean_state.hpp"
#include "router/sim/lean/packet_word.hpp"
#include "router/sim/lean/remote_events.hpp"
#include "router/sim/network.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/outbox.hpp"
#include "router/sim/probe.hpp"

namespace toroid::sim {

class LeanNetwork final : public Network {
 public:
  static bool serves(const Shape& shape, const Machine& machine, const RoutingOptions& options,
                     const SimProbe* probe);
  /// REQUIRES: serves(...) is true.
  LeanNetwork(const Shape& shape, const Machine& machine, const RoutingOptions& options,
              Range block, FlightMemory& store);

  void schedule_injection(Tick at, Rank node, unsigned fifo, FlightId flight) override {
    injections_.schedule(at, {lean::PacketWord(flights_[flight], flight),
                              lean::Place::of(node, state_.channels + fifo)});
  }
  void schedule(const WindowMessage& message, std::size_t neighbour) override;
  Tick next() const override;
  std::size_t run_events(Tick now, ProcessorEvents& events) override;
  void arbitrate(Tick now) override;
  void end_cycle(Tick now) override;
  void serialize(Archive& archive) override;

  std::uint64_t link_errors(Rank node, Direction link) const override {
    return state_.protocol.is_on() ? state_.protocol.errors(node, link) : 0;
  }
  void add_to(FabricCounters& counters) const override;
  std::uint64_t stalled_cycles(Tick now, Rank rank, unsigned fifo) const override;
  unsigned inputs() const override { return state_.inputs; }
  std::optional<RoutedPacket> head(Rank rank, Input input) const override;
  unsigned used(Rank rank, Input input) const override {
    return state_.records[rank - block_.first].used[input.index()];
  }
  std::span<const LinkCounters> link_counters() const override { return {}; }

 private:
  /// A packet that has been chosen to leave: node : 32 | link : 8 | input : 8 | channel : 8 |
  /// chunks : 8. It is one word, so that it is written and read in one access.
  struct Departing {
    std::uint64_t bits;
    static Departing of(Rank node, unsigned link, unsigned input, unsigned channel,
                        unsigned chunks) {
      return {std::uint64_t{node} | std::uint64_t{link} << 32 | std::uint64_t{input} << 40 |
              std::uint64_t{channel} << 48 | std::uint64_t{chunks} << 56};
    }
    Rank node() const { return static_cast<Rank>(bits); }
    unsigned link() const { return bits >> 32 & 0xffu; }
    unsigned input() const { return bits >> 40 & 0xffu; }
    unsigned channel() const { return bits >> 48 & 0xffu; }
    unsigned chunks() const { return static_cast<unsigned>(bits >> 56); }
  };
  static constexpr std::size_t kSitesAtOnce = 48;  ///< routers per batch: all choose, then all send

  void eject_waiting(Tick now, Rank node) override {
    if (state_.records[node].at_destination != 0) eject(now, node);
  }
  void eject(Tick now, Rank node);
  void choose(Tick now, const SenderArbitration::Cycle& cycle, std::span<const Rank> sites,
              std::size_t ahead);
  unsigned expand(std::span<const Rank> sites, LinkOrder order, std::size_t ahead);
  void order_links();
  void depart(Tick now);
  template <bool fifo>
  void depart(Tick now, std::span<const Departing> departing);
  void hold(Tick until, const Departing& packet);
  void repeat(Tick now);
  template <bool fifo, bool alone>
  std::size_t depart_alike(Tick now, std::span<const Departing> departing);
  void announce_tokens(Tick now, Rank node, unsigned input, unsigned chunks);

  lean::LeanState state_;
  EventWheelOf<lean::Hop> injections_;  ///< packets that processors are writing into their FIFOs
  std::vector<lean::Hop> injected_;     ///< packets that are in their FIFOs from the present cycle
                                        ///< on
  lean::RemoteEvents remote_events_;
  std::vector<Event> repeating_;  ///< `repeat` events of the present cycle: packets that links have
                                  ///< held and now send
  ChannelRule channel_rule_;
  SenderArbitration arbitration_;
  Precedence precedence_;
  unsigned wire_overhead_bytes_;
  bool fetches_early_;
  std::array<std::uint32_t, kSitesAtOnce * lean::kMostLinks + 8> requested_;  ///< node · 8 + link
  std::array<Rank, kSitesAtOnce + 1> receiving_;
  std::array<std::uint16_t, kSitesAtOnce + 1> several_;  ///< routers with several requested links:
                                                         ///< index in requested_ * 8 + number
  std::size_t receiving_count_ = 0;
  std::size_t several_count_ = 0;
  using Departures =
      std::array<Departing, kSitesAtOnce * lean::kMostLinks + 1>;  ///< one spare element
  Departures from_channels_;
  Departures from_fifos_;
  std::size_t from_channels_count_ = 0;
  std::size_t from_fifos_count_ = 0;
  std::uint64_t packet_hops_ = 0;
};

}  // namespace toroid::sim
