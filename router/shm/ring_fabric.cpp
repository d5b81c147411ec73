#include "router/shm/ring_fabric.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/clock.hpp"
#include "router/shm/device.hpp"
#include "router/shm/local_nodes.hpp"
#include "router/shm/topology.hpp"
#include "router/shm/worker_pool.hpp"
#include "router/termination/control.hpp"
#include "router/termination/stall.hpp"
#include "router/termination/stall_watch.hpp"

namespace toroid {
namespace {

using ring::Ending;
using ring::RingNode;

class RingFabric final : public Fabric, private Standstill {
 public:
  RingFabric(const Shape& shape, const Machine& machine, Placement placement, RingOptions options)
      : machinery_{shape, machine, options.tying, ring::WallClock(machine), ring::Territory(shape)},
        placement_(std::move(placement)),
        options_(std::move(options)),
        wiring_(options_.route == RingRoute::torus ? ring::wire_torus(machinery_, options_.routing)
                                                   : ring::wire_switch(machinery_, placement_)),
        control_(placement_.workers.size()),
        crew_(*wiring_, placement_, control_) {
    std::size_t placed = 0;
    for (const WorkerPlace& worker : placement_.workers) placed += worker.nodes.size();
    TOROID_CHECK_EQ(placed, shape.size());
  }

  const Shape& shape() const override { return machinery_.shape; }
  const Machine& machine() const override { return machinery_.machine; }
  std::vector<Rank> nodes() const override { return Fabric::nodes(); }
  Device& device(Rank rank) override { return wiring_->node(rank); }
  void attach(Rank rank, Processor& processor) override { wiring_->node(rank).attach(processor); }
  const FabricCounters& counters() const override { return counters_; }

  void run() override {
    TOROID_CHECK(!std::exchange(ran_, true));
    for (const Rank r : nodes()) TOROID_CHECK(wiring_->node(r).processor() != nullptr);
    crew_.run([this] { machinery_.clock.start(); }, [this] { watch(); });
    collect();
    if (control_.ending() == Ending::failed) throw RunFailed(control_.why());
    if (failure_) std::rethrow_exception(failure_);
    const std::string report = stall_report(*this, stalled_ ? stalled_text() : "for ever");
    if (!report.empty()) throw RunFailed(report);
  }

 private:
  /// Until the run ends. The calling thread sleeps, but for a look several times a second.
  void watch() {
    try {
      ring::StallWatch stall(options_.stall);
      while (!control_.ended()) {
        control_.wait_for(std::min(kWatchPeriod, options_.stall / 10));
        if (options_.watch) options_.watch(control_.received());
        if (!stall.sees_standstill(control_)) continue;
        stalled_ = true;
        control_.end(Ending::given_up);
      }
    } catch (...) {
      failure_ = std::current_exception();
      control_.end(Ending::given_up);
    }
  }

  void collect() {
    counters_.end = machinery_.clock.now();
    for (const Rank r : nodes()) {
      const RingNode& n = wiring_->node(r);
      counters_.packets += n.injected();
      counters_.delivered += n.delivered();
      counters_.packet_hops += n.packet_hops();
      counters_.refused += n.refused();
      append(counters_.links, n.link_counters());
      append(counters_.fifos, n.fifo_counters());
    }
  }

  template <typename T>
  static void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  // For the report of a run that cannot go on.
  unsigned sources() const override { return wiring_->sources(); }
  std::optional<RoutedPacket> head(Rank node, Source source) const override {
    return wiring_->head(node, source);
  }
  const Processor& processor(Rank rank) const override {
    return *std::as_const(*wiring_).node(rank).processor();
  }
  std::uint64_t packets_under_way() const override {
    return counters_.packets - counters_.delivered;
  }
  std::string stalled_text() const {
    return fmt::format("for {:.1f} s", std::chrono::duration<double>(options_.stall).count());
  }

  static constexpr std::chrono::milliseconds kWatchPeriod{50};

  ring::Machinery machinery_;
  Placement placement_;
  RingOptions options_;
  std::unique_ptr<ring::Wiring> wiring_;
  ring::RunControl control_;
  ring::Crew crew_;
  FabricCounters counters_;
  bool ran_ = false;
  bool stalled_ = false;
  std::exception_ptr failure_;  ///< what the watch callback threw
};

}  // namespace

std::unique_ptr<Fabric> make_ring_fabric(const Shape& shape, const Machine& machine,
                                         Placement placement, RingOptions options) {
  return std::make_unique<RingFabric>(shape, machine, std::move(placement), std::move(options));
}

double ring_bytes(const Shape& shape, const Machine& machine, std::size_t workers,
                  RingRoute route) {
  return route == RingRoute::torus ? ring::torus_bytes(shape, machine)
                                   : ring::switch_bytes(shape, machine, workers);
}

}  // namespace toroid
