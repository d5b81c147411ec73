#include "router/shm/ring_fabric.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/fabric_use.hpp"
#include "hal/processor.hpp"
#include "router/placement/cpu_quota.hpp"
#include "router/placement/host_topology.hpp"
#include "router/shm/device.hpp"
#include "router/shm/devices_and_rings.hpp"
#include "router/shm/shared_device_state.hpp"
#include "router/shm/torus/shared_node.hpp"
#include "router/shm/worker_pool.hpp"
#include "router/termination/detector.hpp"
#include "router/termination/losses_report.hpp"
#include "router/termination/run_control.hpp"
#include "router/termination/silence_notice.hpp"
#include "router/termination/stall_report.hpp"
#include "router/termination/time_limit.hpp"

namespace toroid {
namespace {

using ring::RingDevice;
using termination::Verdict;

class RingFabric final : public Fabric, private termination::StalledMachine {
 public:
  RingFabric(const Shape& shape, const Machine& machine, Placement placement, RingOptions options)
      : shape_(shape),
        shared_{routed(options.route), machine, options.tying, ring::WallClock(machine),
                ring::LocalNodes(routed(options.route))},
        use_(shape_, Fabric::nodes()),
        placement_(routed(checked(std::move(placement), shape, Fabric::nodes()), options.route)),
        options_(std::move(options)),
        topology_(options_.route == RingRoute::torus
                      ? ring::make_torus_topology(shared_, options_.routing)
                      : ring::make_switch_topology(shared_, placement_)),
        control_(placement_.workers.size(), options_.stall),
        pool_(*topology_, placement_, control_, options_.cpu) {
    shared_.control = &control_;
    if (options_.route == RingRoute::torus && shape_.ranks().are_shared()) share_nodes();
  }

  const Shape& shape() const override { return shape_; }
  const Machine& machine() const override { return shared_.machine; }
  std::vector<Rank> nodes() const override { return Fabric::nodes(); }
  Device& device(Rank rank) override {
    use_.check(rank);
    if (!nodes_.empty()) return shared_rank(rank);
    return topology_->device(rank);
  }
  void attach(Rank rank, Processor& processor) override {
    use_.attach(rank);
    nodes_.empty() ? topology_->device(rank).attach(processor)
                   : shared_rank(rank).attach(processor);
  }
  void detach() override { use_.detach(); }
  const FabricCounters& counters() const override { return counters_; }

  void run() override {
    use_.run();
    {
      const termination::TimeLimit limit(
          options_.limit,
          [this](const std::string& when) {
            return termination::activity_report(*this, "the run did not end " + when);
          },
          [this](const std::string& text) {
            control_.fail(std::make_exception_ptr(RunFailed(text)));
          });
      pool_.run([this] { shared_.clock.start(); }, [this] { watch(); });
    }
    sum_counters();
    if (const auto failure = control_.failure()) std::rethrow_exception(failure);
    const bool stalled = control_.verdict() == Verdict::stalled;
    const std::string report = termination::losses_report(
        shape(), counters_, stall_report(*this, stalled ? stalled_text() : "for ever"), "stuck at");
    if (!report.empty()) throw RunFailed(report);
  }

 private:
  /// The torus whose nodes have a device each: on the torus route the ranks of a node share one.
  Shape routed(RingRoute route) const {
    return route == RingRoute::torus ? shape_.torus() : shape_;
  }
  /// The placement of these nodes, if the worker of a node runs all of its ranks. Otherwise throws
  /// BadInput.
  Placement routed(Placement placement, RingRoute route) const {
    if (route != RingRoute::torus || !shape_.ranks().are_shared()) return placement;
    for (WorkerPlace& worker : placement.workers) {
      for (Rank& rank : worker.nodes) rank = shape_.ranks().node(rank);
      const auto rest = std::ranges::unique(worker.nodes);
      worker.nodes.erase(rest.begin(), rest.end());
    }
    std::vector<Rank> nodes(shape_.nodes());
    std::iota(nodes.begin(), nodes.end(), Rank{0});
    return checked(std::move(placement), shape_.torus(), nodes);
  }
  void share_nodes() {
    for (const Rank node : shared_.local.nodes())
      nodes_.emplace_back(topology_->device(node), shape_, node);
  }
  ring::RankDevice& shared_rank(Rank rank) {
    return nodes_[shape_.ranks().node(rank)].rank(shape_.ranks().processor(rank));
  }
  const ring::RankDevice& shared_rank(Rank rank) const {
    return nodes_[shape_.ranks().node(rank)].rank(shape_.ranks().processor(rank));
  }

  /// Returns when the run has ended. Until then the calling thread sleeps, and checks the run
  /// several times a second.
  void watch() {
    try {
      termination::TerminationDetector detector = control_.detector();
      termination::SilenceNotice notice(options_.stall, options_.notice);
      while (!control_.ended()) {
        control_.wait_for(std::min({kWatchPeriod, options_.stall / 10, until_failure()}));
        topology_->pass(shared_.clock.now());
        if (options_.watch) options_.watch(control_.received());
        notice.look(control_, *this);
        if (control_.is_stalled(detector, termination::Clock::now()))
          control_.end(Verdict::stalled);
      }
    } catch (...) {
      control_.fail(std::current_exception());
    }
  }

  std::chrono::milliseconds until_failure() const {
    const auto next = topology_->next_failure();
    return next ? shared_.clock.until(*next) : kWatchPeriod;
  }

  void sum_counters() {
    counters_.end = shared_.clock.now();
    counters_.health = topology_->health();
    counters_.links_are_checked = !counters_.health.empty();
    for (const LinkHealth& link : counters_.health) counters_.link_errors.add(link);
    for (const Rank r : shared_.local.nodes()) {
      const RingDevice& n = topology_->device(r);
      counters_.packets += n.injected();
      counters_.delivered += n.delivered();
      counters_.packet_hops += n.packet_hops();
      counters_.refused += n.refused();
      counters_.puts += n.puts();
      counters_.put_bytes += n.put_bytes();
      counters_.packet_bytes += n.packet_bytes();
      if (nodes_.empty()) counters_.nodes.push_back(n.totals());
      append(counters_.links, n.link_counters());
      append(counters_.fifos, n.fifo_counters());
      if (!nodes_.empty()) counters_.fifos.pop_back();  // it stands for memory
      add_to(counters_.reception, n.reception_counters());
    }
    if (!nodes_.empty()) add_ranks();
    leave_out_unused_priority(counters_, machine(), shared_.shape.size());
    topology_->add_losses(counters_);
  }

  void add_ranks() {
    for (const Rank r : nodes()) {
      const ring::RankDevice& rank = shared_rank(r);
      counters_.nodes.push_back(rank.totals());
      counters_.packets += rank.copies();
      counters_.delivered += rank.copies();
      counters_.packet_bytes += rank.copied_bytes();
      counters_.refused += rank.refused();
    }
  }

  template <typename T>
  static void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  // Used for the report of a run that cannot go on.
  unsigned inputs() const override { return topology_->inputs(); }
  std::optional<RoutedPacket> head(Rank node, Input input) const override {
    return topology_->head(node, input);
  }
  const Processor& processor(Rank rank) const override {
    if (!nodes_.empty()) return *shared_rank(rank).processor();
    return *std::as_const(*topology_).device(rank).processor();
  }
  std::uint64_t packets_under_way() const override {
    std::uint64_t under_way = counters_.packets - counters_.delivered;
    for (const LostPackets& lost : counters_.lost) under_way -= lost.packets;
    return under_way;
  }
  std::string stalled_text() const {
    return fmt::format("for {:.1f} s", std::chrono::duration<double>(options_.stall).count());
  }

  static constexpr std::chrono::milliseconds kWatchPeriod{50};

  Shape shape_;
  ring::SharedDeviceState shared_;
  FabricUse use_;
  Placement placement_;
  RingOptions options_;
  std::unique_ptr<ring::DevicesAndRings> topology_;
  std::deque<ring::SharedNode> nodes_;  ///< [node]; empty unless ranks share the nodes' devices
  termination::RunControl control_;
  ring::WorkerPool pool_;
  FabricCounters counters_;
};

}  // namespace

std::unique_ptr<Fabric> make_ring_fabric(const Shape& shape, const Machine& machine,
                                         Placement placement, RingOptions options) {
  return std::make_unique<RingFabric>(shape, machine, std::move(placement), std::move(options));
}

std::unique_ptr<Fabric> make_ring_fabric(const Shape& shape, const Machine& machine,
                                         RingOptions options) {
  Placement placement =
      place(HostTopology::of_this_machine(), shape, 0, Binding::core, cpu_quota());
  return make_ring_fabric(shape, machine, std::move(placement), std::move(options));
}

double ring_bytes(const Shape& shape, const Machine& machine, std::size_t workers,
                  RingRoute route) {
  return route == RingRoute::torus ? ring::torus_bytes(shape.torus(), machine)
                                   : ring::switch_bytes(shape, machine, workers);
}

}  // namespace toroid
