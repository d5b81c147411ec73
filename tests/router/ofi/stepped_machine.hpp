// A torus spread over processes that are joined by a network in memory, without threads: a seed
// determines the order of all workers' steps.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "hal/injection_fifo.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "router/ofi/direct_gateway.hpp"
#include "router/ofi/faulty_transport.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/torus_gateway.hpp"
#include "router/ofi/transport.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "router/placement/process_partition.hpp"
#include "router/shm/device.hpp"
#include "router/shm/devices_and_rings.hpp"
#include "router/shm/direct/direct_device.hpp"
#include "router/shm/direct/put_switch.hpp"
#include "router/shm/direct/switch_topology.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/shm/shared_device_state.hpp"
#include "router/shm/torus/boundary_links.hpp"
#include "tests/router/ofi/fake_network.hpp"
#include "tests/router/ofi/number_gateway.hpp"

namespace toroid::testing {

struct SteppedOptions {
  unsigned processes = 2;
  unsigned workers = 1;
  RingRoute route = RingRoute::direct;
  NetworkOptions network{};
  NodeOptions node{};
  Machine machine{};
  ofi::FlowLimits limits = kSmallFrames;
  LinkErrors errors{};  ///< faults of frames
};

class SteppedProcess {
 public:
  SteppedProcess(const Shape& shape, const Partition& partition, unsigned self,
                 const SteppedOptions& options, FakeNetwork& network)
      : partition_(partition),
        shared_{shape, options.machine, FifoTying::per_direction, ring::WallClock(options.machine),
                ring::LocalNodes(shape, partition.nodes(self))},
        placement_(place(HostTopology::synthetic("core:4 pu:1"), shape, partition.nodes(self),
                         options.workers, Binding::none)),
        buffers_(partition.processes() - 1, options.limits),
        transport_(network, self, buffers_.memory()),
        faulty_(transport_, options.errors, options.network.seed, self, partition.processes()) {
    wire_up(self, options);
    for (const Rank r : partition.nodes(self)) {
      topology_->allocate(r);
      nodes_.push_back(std::make_unique<Node>(topology_->device(r), options.node));
      topology_->device(r).attach(*nodes_.back());
    }
  }

  std::deque<std::unique_ptr<Node>>& nodes() { return nodes_; }
  std::size_t workers() const { return placement_.workers.size(); }
  ofi::Gateway& gateway() { return *gateway_; }

  /// One round of a worker.
  void step(std::size_t worker) {
    ring::PutPort* const puts = topology_->puts(worker);
    bool moved = puts != nullptr && puts->step();
    for (const Rank r : placement_.workers[worker].nodes) moved |= topology_->device(r).step();
    if (worker == 0) (void)gateway_->step(!moved);
  }

  std::uint64_t injected() const { return sum(&ring::RingDevice::injected); }
  std::uint64_t delivered() const { return sum(&ring::RingDevice::delivered); }
  /// Numbers of packets and completions that have begun and that have ended. The sums over all
  /// processes are equal if nothing is in flight.
  std::uint64_t begun() const { return injected() + sum(&ring::RingDevice::completions_sent); }
  std::uint64_t ended() const { return delivered() + sum(&ring::RingDevice::completions_taken); }
  std::uint64_t packet_hops() const { return sum(&ring::RingDevice::packet_hops); }
  std::uint64_t put_bytes() const { return sum(&ring::RingDevice::put_bytes); }
  std::uint64_t packed_bytes() const { return sum(&ring::RingDevice::packed_bytes); }

 private:
  void wire_up(unsigned self, const SteppedOptions& options) {
    const auto identities = identities_of(self, partition_.processes());
    if (options.route == RingRoute::torus) {
      topology_ = ring::make_torus_topology(shared_, {}, &boundary_);
      gateway_ = std::make_unique<ofi::TorusGateway>(transport(options), buffers_, identities,
                                                     shared_, partition_, boundary_);
      return;
    }
    auto gateway = std::make_unique<ofi::DirectGateway>(transport(options), buffers_, identities,
                                                        shared_, partition_, placement_);
    topology_ = std::make_unique<ring::SwitchTopology>(
        shared_, placement_,
        [&](const ring::SwitchPlug& plug) { return gateway->make_device(plug); });
    gateway_ = std::move(gateway);
  }

  ofi::Transport& transport(const SteppedOptions& options) {
    return options.errors.are_checked() ? static_cast<ofi::Transport&>(faulty_) : transport_;
  }

  std::uint64_t sum(std::uint64_t (ring::RingDevice::*count)() const) const {
    std::uint64_t sum = 0;
    for (const Rank r : shared_.local.nodes())
      sum += (std::as_const(*topology_).device(r).*count)();
    return sum;
  }

  const Partition& partition_;
  ring::SharedDeviceState shared_;
  Placement placement_;
  ofi::FrameBuffers buffers_;
  FakeNetwork::Transport transport_;
  ofi::FaultyTransport faulty_;
  ring::BoundaryLinks boundary_;
  std::unique_ptr<ofi::Gateway> gateway_;
  std::unique_ptr<ring::DevicesAndRings> topology_;
  std::deque<std::unique_ptr<Node>> nodes_;
};

class SteppedMachine {
 public:
  SteppedMachine(const Shape& shape, const SteppedOptions& options)
      : partition_(shape, options.processes),
        network_(options.processes, options.network),
        random_(options.network.seed, 99),
        nodes_(shape.size()) {
    for (unsigned p = 0; p < options.processes; ++p) {
      processes_.push_back(
          std::make_unique<SteppedProcess>(shape, partition_, p, options, network_));
      for (auto& node : processes_.back()->nodes()) nodes_[node->rank()] = node.get();
    }
  }

  Rank size() const { return static_cast<Rank>(nodes_.size()); }
  Node& node(Rank r) { return *nodes_[r]; }
  FakeNetwork& network() { return network_; }
  ofi::Gateway& gateway(unsigned process) { return processes_[process]->gateway(); }

  /// Runs program(node) -> Program until all have ended and everything has been delivered.
  void run(const auto& program) {
    start(program);
    for (unsigned steps = 0; !is_over(); ++steps) {
      ASSERT_LT(steps, 400'000u) << "the run does not end";
      step(10);
    }
  }
  void start(const auto& program) {
    for (Node* node : nodes_) node->run(program(*node));
  }
  void step(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      SteppedProcess& process = *processes_[random_.below(count())];
      process.step(random_.below(static_cast<std::uint32_t>(process.workers())));
    }
  }
  bool is_over() {
    return std::ranges::all_of(nodes_, [](const Node* node) { return node->finished(); }) &&
           sum(&SteppedProcess::begun) == sum(&SteppedProcess::ended);
  }

  std::uint64_t injected() const { return sum(&SteppedProcess::injected); }
  std::uint64_t delivered() const { return sum(&SteppedProcess::delivered); }
  std::uint64_t packet_hops() const { return sum(&SteppedProcess::packet_hops); }
  std::uint64_t put_bytes() const { return sum(&SteppedProcess::put_bytes); }
  std::uint64_t packed_bytes() const { return sum(&SteppedProcess::packed_bytes); }
  ofi::RefusedFrames refused() {
    ofi::RefusedFrames sum{};
    for (const auto& process : processes_)
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += process->gateway().refused()[e];
    return sum;
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(processes_.size()); }
  std::uint64_t sum(std::uint64_t (SteppedProcess::*counted)() const) const {
    std::uint64_t sum = 0;
    for (const auto& process : processes_) sum += ((*process).*counted)();
    return sum;
  }

  Partition partition_;
  FakeNetwork network_;
  Random random_;
  std::vector<std::unique_ptr<SteppedProcess>> processes_;
  std::vector<Node*> nodes_;  ///< [rank]
};

}  // namespace toroid::testing
