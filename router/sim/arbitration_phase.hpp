// The second half of a cycle: every router with an event chooses, for each of its links, among the
// packets that request the link.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/arbitration.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/flight.hpp"
#include "router/sim/network_state.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// Owned by the network whose state it changes; called once per cycle by the block's thread.
class ArbitrationPhase {
 public:
  /// `net` outlives it. `fetches_early`: state is prefetched, because the routers' state does not
  /// fit in a cache.
  ArbitrationPhase(NetworkState& net, const Machine& machine, const RoutingOptions& options,
                   bool fetches_early);

  /// Looks at all routers that have been marked in cycle `now`, and sends the chosen packets.
  void run(Tick now);
  /// Hops made so far, summed over all packets.
  std::uint64_t packet_hops() const { return packet_hops_; }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(packet_hops_);
  }

 private:
  /// A packet that has been chosen to leave in this cycle.
  struct Departing {
    Rank node;
    std::uint8_t link;
    Input input{0};
    VirtualChannel channel;
    std::uint8_t chunks;
  };
  /// Constant during a run.
  struct Rules {
    ChannelRule channels;
    SenderArbitration arbitration;
    Precedence precedence;
    bool transit_first;
  };
  using Site = Routers::Site;
  static constexpr std::size_t kSitesAtOnce = 48;  ///< routers per batch: their state fits in the
                                                   ///< fastest caches
  static constexpr unsigned kLinkBits = 4;
  static_assert(kMaxLinks <= 1u << kLinkBits);
  using Departures = std::array<Departing, kSitesAtOnce * kMaxLinks + 1>;  ///< one spare element

  void look_at(Tick now, const SenderArbitration::Cycle& cycle, std::span<const Rank> marked,
               std::size_t first, std::size_t end);
  template <bool usual>
  void choose(Tick now, const SenderArbitration::Cycle& cycle);
  void grant(Tick now, const Site& site, unsigned index, Input input, VirtualChannel channel);
  void hold(Tick until, const Departing& packet);
  void repeat(Tick now);
  template <bool fifo>
  void depart(Tick now, std::span<const Departing> departing);
  void count(const Departing& packet);
  void send_away(Tick now, Rank neighbour, Input next, FlightId id);

  NetworkState& net_;
  Rules rules_;
  bool is_usual_;
  bool fetches_early_;
  std::array<unsigned, kMaxChunks + 1> wire_bytes_{};  ///< [chunks]
  std::uint64_t packet_hops_ = 0;
  // State of the current batch of routers; the counts say how many elements are valid.
  std::array<std::uint32_t, kSitesAtOnce * kMaxLinks + 8> requested_;  ///< node : 28 | link : 4
  std::array<Rank, kSitesAtOnce + 1> receiving_;                       ///< one spare element
  Departures from_channels_;
  Departures from_fifos_;
  std::size_t requested_count_ = 0;
  std::size_t from_channels_count_ = 0;
  std::size_t from_fifos_count_ = 0;
};

}  // namespace toroid::sim
