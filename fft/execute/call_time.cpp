#include "fft/execute/call_time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/plan/plan.hpp"
#include "hal/check.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"

namespace toroid::fft {
namespace {

/// When a node began and ended a call.
struct Round {
  Tick begin;
  Tick end;
};

LocalArray zeros(std::size_t elements, std::uint32_t bytes) {
  LocalArray array = LocalArray::of_bytes(elements * bytes);
  std::fill_n(array.data(), array.size(), Complex{});
  return array;
}

/// One node's plan and arrays, and its times.
struct TimedSide {
  TimedSide(Node& node, std::shared_ptr<const Blueprint> blueprint)
      : plan(node, std::move(blueprint)),
        in(zeros(plan.input_size(), bytes(plan.blueprint().real_in()))),
        out(zeros(plan.output_size(), bytes(plan.blueprint().real_out()))) {}

  std::uint32_t bytes(bool real) const { return plan.blueprint().bytes(real); }
  Array view(LocalArray& array, std::size_t size, bool real) const {
    return {array.as<std::byte>(), size, real, plan.blueprint().description().precision};
  }
  PerformAwaiter call(Way way) {
    const Array a = view(in, plan.input_size(), plan.blueprint().real_in());
    const Array b = view(out, plan.output_size(), plan.blueprint().real_out());
    return way == Way::forward ? plan.forward(a, b) : plan.backward(b, a);
  }

  Plan plan;
  LocalArray in;
  LocalArray out;
  std::vector<Round> rounds{};
};

Program run_rounds(Node&, TimedSide& side, Way way, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    co_await side.call(way);
    side.rounds.push_back({side.plan.times().front().begin, side.plan.times().back().computed});
  }
}

Tick duration(const std::deque<TimedSide>& sides, std::size_t round) {
  Tick begin = ~Tick{0};
  Tick end = 0;
  for (const TimedSide& side : sides) {
    begin = std::min(begin, side.rounds[round].begin);
    end = std::max(end, side.rounds[round].end);
  }
  return end - begin;
}

}  // namespace

Tick call_time(Fabric& fabric, const NodeOptions& options,
               std::shared_ptr<const Blueprint> blueprint, Way way, unsigned rounds) {
  if (rounds < 1) throw BadInput("call_time with 0 rounds; expected 1 or more");
  Runner runner(fabric, options);
  std::deque<TimedSide> sides;
  for (Node& node : runner.nodes()) {
    TimedSide& side = sides.emplace_back(node, blueprint);
    node.run(run_rounds(node, side, way, rounds));
  }
  runner.run();
  std::vector<Tick> times;
  for (unsigned round = 0; round < rounds; ++round) times.push_back(duration(sides, round));
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[rounds / 2];
}

}  // namespace toroid::fft
