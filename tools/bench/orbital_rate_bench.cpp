// Compares the whole orbital transform on shared memory with OpenBLAS's matrix products, measured
// in turn by the same threads. The transform is a dft of complex128 along all axes. The products
// are: as many of b² x b by b x b as the transform's nodes compute, where b is the edge of a node's
// block; and large square ones, which show OpenBLAS's peak rate.
//
//   orbital_rate_bench [EDGE ...]     arrays of EDGE x EDGE x EDGE elements (default: 128 256)
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/kernels/blas.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/transform.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/bench/baselines/report.hpp"

namespace toroid {
namespace {

using Complex128 = std::complex<double>;
using WallClock = std::chrono::steady_clock;

constexpr int kSquareEdge = 1024;
/// Real multiply-adds per complex multiply-add.
constexpr double kFmas = 4;

/// The kinds of work that are measured in turn.
enum Turn : std::uint8_t { kTransform, kBlocks, kSquare, kTurnKinds };

struct Interval {
  WallClock::time_point begin;
  WallClock::time_point end;
};

void fill_unequally(Complex128* elements, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    elements[i] = {static_cast<double>(i % 17) - 8, static_cast<double>(i % 13) - 6};
}

/// A matrix product's operands and result.
class ProductBench {
 public:
  explicit ProductBench(const fft::ProductShape& shape)
      : shape_(shape),
        b_(elements(shape.inner, shape.columns)),
        c_(elements(shape.rows, shape.columns)) {}

  static std::size_t elements(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  void fill() {
    fill_unequally(b_.data(), b_.size());
    fill_unequally(c_.data(), c_.size());
  }
  void run(const Complex128* a, bool add) {
    multiply(fft::Transpose::no, shape_, a, b_.data(), Complex128(add ? 1 : 0), c_.data());
  }

 private:
  fft::ProductShape shape_;
  fft::LocalArray b_;
  fft::LocalArray c_;
};

/// One node's transform, products, and times.
class RateSide {
 public:
  RateSide(Node& node, const fft::OrbitalPlan& plan)
      : transform_(node, plan),
        blocks_({plan.block(0) * plan.block(0), plan.block(0), plan.block(0)}),
        square_({kSquareEdge, kSquareEdge, kSquareEdge}),
        square_a_(ProductBench::elements(kSquareEdge, kSquareEdge)) {}

  fft::OrbitalTransform<Complex128>& transform() { return transform_; }

  /// Called on the node's own thread, so that this thread is the first to touch the memory.
  void fill() {
    blocks_.fill();
    square_.fill();
    fill_unequally(square_a_.data(), square_a_.size());
  }
  /// Refills the input, because a transform overwrites it. Results are not scaled, so values would
  /// otherwise keep growing.
  void fill_input() { fill_unequally(transform_.input().data(), transform_.input().size()); }
  /// Computes as many products as the transform does, of the same size. As in the transform, the
  /// first product of a stage overwrites the sum, and the others are added to it.
  void multiply_blocks() {
    for (unsigned step = 0; step < transform_.steps(); ++step)
      blocks_.run(transform_.input().data(), !transform_.begins_stage(step));
  }
  void multiply_square() { square_.run(square_a_.data(), false); }

  void begin(Turn turn) { intervals_[turn].push_back({WallClock::now(), {}}); }
  void end(Turn turn) { intervals_[turn].back().end = WallClock::now(); }
  const std::vector<Interval>& intervals(Turn turn) const { return intervals_[turn]; }

 private:
  fft::OrbitalTransform<Complex128> transform_;
  ProductBench blocks_;
  ProductBench square_;
  fft::LocalArray square_a_;
  std::array<std::vector<Interval>, kTurnKinds> intervals_;
};

/// Runs the turns; each begins with a barrier.
Program take_turns(Node& node, RateSide& side, unsigned rounds) {
  side.fill();
  for (unsigned round = 0; round < rounds; ++round) {
    side.fill_input();
    co_await node.barrier();
    side.begin(kBlocks);
    side.multiply_blocks();
    side.end(kBlocks);
    co_await node.barrier();
    side.begin(kTransform);
    Program once = fft::orbital_transform(node, side.transform());
    co_await node.perform(once);
    side.end(kTransform);
    co_await node.barrier();
    side.begin(kSquare);
    side.multiply_square();
    side.end(kSquare);
    co_await node.barrier();
  }
}

/// Time from the first node's start to the last node's end.
double seconds_of_round(const std::deque<RateSide>& sides, Turn turn, std::size_t round) {
  auto begin = WallClock::time_point::max();
  auto end = WallClock::time_point::min();
  for (const RateSide& side : sides) {
    begin = std::min(begin, side.intervals(turn)[round].begin);
    end = std::max(end, side.intervals(turn)[round].end);
  }
  return std::chrono::duration<double>(end - begin).count();
}

/// Real multiply-adds per second, by round.
using Rates = std::array<std::vector<double>, kTurnKinds>;

/// The rates of all rounds except the first, in which memory is touched for the first time.
Rates rates_of(const std::deque<RateSide>& sides, const fft::OrbitalPlan& plan, unsigned rounds) {
  const auto nodes = static_cast<double>(sides.size());
  std::array<double, kTurnKinds> fmas{};
  for (unsigned stage = 0; stage < plan.kStages; ++stage)
    fmas[kTransform] += static_cast<double>(plan.multiply_adds(stage)) * plan.extent() * nodes;
  fmas[kBlocks] = fmas[kTransform];
  fmas[kSquare] = kFmas * kSquareEdge * kSquareEdge * kSquareEdge * nodes;
  Rates rates;
  for (const Turn turn : {kTransform, kBlocks, kSquare})
    for (unsigned round = 1; round < rounds; ++round)
      rates[turn].push_back(fmas[turn] / seconds_of_round(sides, turn, round));
  return rates;
}

/// Median over the rounds of the transform's rate divided by another rate.
double share_of(const Rates& rates, Turn other) {
  std::vector<double> shares;
  for (std::size_t round = 0; round < rates[other].size(); ++round)
    shares.push_back(rates[kTransform][round] / rates[other][round]);
  return baseline::median(shares);
}

/// Large arrays need fewer rounds: they take longer and vary less.
unsigned rounds_for(int edge) {
  return edge < 192 ? 15 : edge < 384 ? 7 : 3;
}

void print_rates(int edge, std::string_view torus) {
  const Shape shape = Shape::parse(torus);
  const fft::OrbitalPlan plan({edge, edge, edge}, shape, {});
  Placement placement = place(HostTopology::of_this_machine(), shape, 0, Binding::core);
  const std::size_t threads = placement.workers.size();
  RingOptions options;
  options.route = RingRoute::direct;
  options.stall = std::chrono::hours(1);  // a long multiplication must not count as a stall
  const auto fabric = make_ring_fabric(shape, Machine{}, std::move(placement), options);
  Runner runner(*fabric, {.settings = {.output_queues = fft::OrbitalBase::kOutputQueues}});
  std::deque<RateSide> sides;
  const unsigned rounds = 1 + rounds_for(edge);
  for (Node& node : runner.nodes())
    node.run(take_turns(node, sides.emplace_back(node, plan), rounds));
  runner.run();
  const Rates rates = rates_of(sides, plan, rounds);
  fmt::print("{:>4} {:>6} {:>7} {:>4} {:>6}  {:>7.2f} {:>7.2f} {:>7.2f}   {:>6.3f} {:>6.3f}\n",
             edge, torus, threads, plan.block(0), rounds - 1,
             baseline::median(rates[kTransform]) / 1e9, baseline::median(rates[kBlocks]) / 1e9,
             baseline::median(rates[kSquare]) / 1e9, share_of(rates, kBlocks),
             share_of(rates, kSquare));
  std::fflush(stdout);
}

void print_all_rates(std::span<const int> edges) {
  fft::load_blas();
  fmt::print(
      "1e9 real multiply-adds per second, complex128, medians over the rounds; then the "
      "transform's rate "
      "divided by each product's\n");
  fmt::print("{:>4} {:>6} {:>7} {:>4} {:>6}  {:>7} {:>7} {:>7}   {:>6} {:>6}\n", "edge", "torus",
             "threads", "b", "rounds", "orbital", "b²xbxb", kSquareEdge, "b²xbxb", kSquareEdge);
  for (const int edge : edges)
    for (const std::string_view torus : {"1x1x1", "2x2x2"}) print_rates(edge, torus);
}

}  // namespace
}  // namespace toroid

int main(int argc, char** argv) {
  std::vector<int> edges;
  for (int i = 1; i < argc; ++i) edges.push_back(std::atoi(argv[i]));
  if (edges.empty()) edges = {128, 256};
  try {
    toroid::print_all_rates(edges);
  } catch (const std::exception& error) {
    fmt::print(stderr, "orbital_rate_bench: {}\n", error.what());
    return 1;
  }
}
