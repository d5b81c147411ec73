// Runs a traffic on the model in pieces: a run is cut, discarded, set up anew and resumed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hal/checkpoint_archive.hpp"
#include "hal/flowchart_profile.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"
#include "router/sim/checkpoints.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/hal/memory_archive.hpp"
#include "tests/router/everything.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid::testing {

struct TrafficRun {
  Shape shape;
  Machine machine;
  const Policy& policy;
  const Traffic& traffic;
  TrafficExchangeOptions exchange;
  SimOptions sim;
};

/// The results of a run.
struct Outcome {
  Everything counters;
  std::vector<std::uint64_t> latency;
  Tick last_arrival = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t acknowledgements = 0;
  std::vector<FlowchartProfile> profiles;
  bool operator==(const Outcome&) const = default;
};

/// Ends the run at a cycle and keeps its state.
class CutAt final : public SimCheckpoints {
 public:
  struct Cut {};
  using Bytes = std::vector<std::byte>;

  /// Segments end at the cycles in `ends` (ascending), and the run is cut at the last of them. If
  /// `ends` is empty, it runs to its end. `from`: the state to resume; if empty, the run starts at
  /// the beginning.
  CutAt(TrafficExchange& exchange, std::vector<Tick> ends, Bytes from)
      : exchange_(&exchange), ends_(std::move(ends)), from_(std::move(from)) {}
  const Bytes& state() const { return state_; }

  bool try_resume(const State& fabric) override {
    if (from_.empty()) return false;
    LoadedState archive(from_);
    fabric(archive);
    exchange_->serialize(archive);
    if (archive.left() != 0) Archive::refuse();
    return true;
  }
  Tick end_of_segment(Tick next) override {
    const auto end = std::ranges::upper_bound(ends_, next);
    return end == ends_.end() ? next + 100000 : *end;
  }
  void between_segments(Tick now, const State& fabric) override {
    if (ends_.empty() || now < ends_.back()) return;
    SavedState archive;
    fabric(archive);
    exchange_->serialize(archive);
    state_ = archive.content();
    throw Cut();
  }

 private:
  TrafficExchange* exchange_;
  std::vector<Tick> ends_;
  Bytes from_;
  Bytes state_;
};

/// A piece of a run: from a state or from the beginning, to the last of `ends` or to the run's end.
struct Piece {
  explicit Piece(const TrafficRun& run, const std::vector<Tick>& ends = {}, CutAt::Bytes from = {},
                 bool in_segments = true)
      : exchange(run.policy, run.traffic, run.shape, run.machine, run.exchange),
        cut(exchange, ends, std::move(from)),
        machine(run.shape, exchange.node_options(), sim_options(run, in_segments), run.machine) {
    for (const Rank r : machine.ranks()) exchange.attach(machine.node(r));
    try {
      machine.fabric().run();
      ended = true;
    } catch (const CutAt::Cut&) {
    }
  }

  SimOptions sim_options(const TrafficRun& run, bool in_segments) {
    SimOptions options = run.sim;
    options.tying = exchange.settings().tying;
    if (in_segments) options.checkpoints = &cut;
    return options;
  }

  Outcome outcome() {
    exchange.check();
    Outcome outcome{everything(machine),         {}, exchange.last_arrival(), exchange.forwarded(),
                    exchange.acknowledgements(), {}};
    const LatencyHistogram latency = exchange.latency();
    for (std::size_t b = 0; b < LatencyHistogram::kBuckets; ++b)
      outcome.latency.push_back(latency.packets(b));
    for (const Rank r : machine.ranks()) outcome.profiles.push_back(machine.node(r).profile());
    return outcome;
  }

  TrafficExchange exchange;
  CutAt cut;
  SimMachine machine;
  bool ended = false;
};

}  // namespace toroid::testing
