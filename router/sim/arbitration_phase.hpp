// The second half of a cycle: every router that something happened to chooses, link by link, among
// the packets that request it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// Owned by the network whose state it works on; called once per cycle by the block's thread.
class ArbitrationPhase {
 public:
  /// `net` outlives it. `fetches_early`: the routers' state is larger than a cache.
  ArbitrationPhase(NetworkState& net, const Machine& machine, const RoutingOptions& options,
                   bool fetches_early);

  /// Looks at all routers that have been marked in the cycle `now`. The packets that are chosen
  /// leave.
  void run(Tick now);
  /// Links that packets have crossed, summed over packets.
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
    Source source;
    VirtualChannel channel;
  };
  /// What is constant in a run.
  struct Rules {
    ChannelRule channels;
    SenderArbitration arbitration;
    Precedence precedence;
    bool transit_first;
  };
  using Site = Routers::Site;
  class Choice;

  /// At the marked routers from `first` to before `end`.
  void choose(Tick now, std::size_t first, std::size_t end);
  void depart(Tick now, const Departing& packet);
  void count(const Departing& packet, unsigned chunks);
  void hand_on(Tick now, const Site& site, Direction direction, Source next, FlightId id);

  NetworkState& net_;
  Rules rules_;
  bool fetches_early_;
  std::array<unsigned, kMaxChunks + 1> wire_bytes_{};  ///< [chunks]
  std::vector<Departing> departing_;                   ///< chosen in this cycle
  std::uint64_t packet_hops_ = 0;
};

}  // namespace toroid::sim
