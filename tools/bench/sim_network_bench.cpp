// Speed of the model's network alone, in packet-hops per CPU second of the thread that runs it.
// There are no nodes, devices or turns. A stand-in for the processors keeps the injection FIFOs
// full and removes packets on arrival; it makes headers and routes, which takes a few per cent of
// the time.
//
// network/fast/...: the model for common machines; network/general/...: the model for all
// machines.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/network.hpp"

namespace toroid {
namespace {

/// Each node sends a number of full packets to each of a number of peers, in its own random order.
struct Load {
  const char* torus;
  Rank peers;
  unsigned packets;
};

/// Stands in for the processors: sources and sinks of packets.
class Ends {
 public:
  Ends(sim::Network& network, const Machine& machine, const Load& load)
      : network_(network), inject_cycles_(machine.inject_cycles), packets_(load.packets) {
    const Shape& shape = network.shape();
    for (Rank r = 0; r < shape.size(); ++r)
      ends_.push_back({shape.coord(r),
                       SendOrder(OrderRule::random, r, shape.size(), 1).first(load.peers),
                       InjectionFifos(tie_fifos(shape, machine.injection_fifos,
                                                machine.injection_fifo_chunks))});
  }

  void start() {
    for (Rank r = 0; r < ends_.size(); ++r) send(0, r);
  }

  /// Called in the part of a cycle in which processors take their turns.
  void serve(Tick now, const sim::ProcessorEvents& events) {
    for (const sim::Event event : events.delivered)
      network_.release_reception(now, event.node(), event.value());
    for (const auto& [node, fifo, chunks] : events.freed) {
      ends_[node].fifos.release(fifo, chunks);
      send(now, node);
    }
  }

 private:
  struct End {
    Coord here;
    SendOrder order;
    InjectionFifos fifos;
    std::uint64_t sent = 0;  ///< packets; a round sends one to each peer
    Tick busy_until = 0;
    unsigned turn = 0;  ///< see InjectionFifos::least_full()
  };

  /// Injects packets while there is room for the next one.
  void send(Tick now, Rank node) {
    End& end = ends_[node];
    const std::uint64_t all = std::uint64_t{end.order.size()} * packets_;
    while (end.sent < all && send_one(now, node, end)) ++end.sent;
  }

  bool send_one(Tick now, Rank node, End& end) {
    const Rank peer = end.order[static_cast<Rank>(end.sent % end.order.size())];
    const Shape& shape = network_.shape();
    const Coord there = shape.coord(peer);
    const DirectionSet hints = minimal_directions(shape, end.here, there, TieRule::parity, random_);
    const unsigned fifo = end.fifos.least_full(hints, kMaxChunks, end.turn);
    if (fifo == InjectionFifos::kNone) return false;
    end.fifos.add(fifo, kMaxChunks);
    const PacketHeader header({.destination = peer, .hints = hints, .chunks = kMaxChunks});
    const SendDescriptor packet{.header = header, .source = nullptr, .cookie = 0};
    const auto route = route_along(shape, end.here, there, hints);
    end.busy_until = std::max(now, end.busy_until) + inject_cycles_;
    network_.schedule_injection(end.busy_until, node, fifo,
                                network_.flights().add(packet, 0, route.value()));
    return true;
  }

  sim::Network& network_;
  Tick inject_cycles_;
  unsigned packets_;
  Random random_{1};
  std::vector<End> ends_;  ///< [rank]
};

void run_to_the_end(sim::Network& network, Ends& ends) {
  sim::ProcessorEvents events;
  for (Tick now = network.next(); now != sim::kNever; now = network.next()) {
    events.clear();
    network.run_events(now, events);
    network.arbitrate(now);
    ends.serve(now, events);
    network.end_cycle(now);
  }
}

void network(benchmark::State& state, bool general, const Load& load) {
  const Machine machine;
  const Shape shape = Shape::parse(load.torus);
  FabricCounters counters;
  for (auto _ : state) {
    state.PauseTiming();
    sim::FlightMemory store;
    const auto network = sim::make_network(shape, machine, {.general = general},
                                           {.first = 0, .count = shape.size()}, store, nullptr);
    Ends ends(*network, machine, load);
    state.ResumeTiming();
    ends.start();
    run_to_the_end(*network, ends);
    network->add_to(counters);
    if (network->flights_alive() != 0) state.SkipWithError("packets are left");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(counters.packet_hops));
}

void add(const std::string& name, const Load& load) {
  for (const bool general : {false, true})
    benchmark::RegisterBenchmark(
        ("network/" + std::string(general ? "general/" : "fast/") + name).c_str(), network, general,
        load)
        ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace toroid

int main(int argc, char** argv) {
  toroid::add("8x8x8_480_B", {"8x8x8", 511, 2});
  toroid::add("16x16x16_240_B_to_128", {"16x16x16", 128, 1});
  toroid::add("32x32x32_240_B_to_16", {"32x32x32", 16, 1});
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
