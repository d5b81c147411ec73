#include "fft/execute/engine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fft/execute/collective_exchange.hpp"
#include "fft/orbital/base.hpp"
#include "fft/plan/norm.hpp"
#include "hal/check.hpp"
#include "hal/copy_bytes.hpp"
#include "packet/exchange/exchange.hpp"

namespace toroid::fft {
namespace {

Way other(Way way) {
  return way == Way::forward ? Way::backward : Way::forward;
}

}  // namespace

Plan::Engine::Engine(Node& node, std::shared_ptr<const Blueprint> blueprint)
    : node_(&node),
      blueprint_(std::move(blueprint)),
      input_(blueprint_->stages().front().in.layout(node.rank())),
      output_(blueprint_->stages().back().out.layout(node.rank())),
      times_(blueprint_->stages().size()),
      attachment_(node, "Plan", *this) {
  pass(blueprint_->description().first);
}

/// The pass is made on first use, so that a plan that is used in only one direction needs no arrays
/// for the other direction.
Pass& Plan::Engine::pass(Way way) {
  std::optional<Pass>& pass = made_pass(way);
  if (!pass) pass.emplace(*node_, *blueprint_, way);
  return *pass;
}

std::size_t Plan::Engine::array_bytes() const {
  std::size_t bytes = kept_.size() * sizeof(Complex);
  for (const std::optional<Pass>& pass : passes_)
    if (pass) bytes += pass->bytes();
  return bytes;
}

const OrbitalStageAdapter* Plan::Engine::orbital() const {
  const std::optional<Pass>& pass = passes_[static_cast<std::size_t>(call_.way)];
  if (!pass) return nullptr;
  for (const StageState& state : pass->states())
    if (state.orbital) return state.orbital.get();
  return nullptr;
}

std::span<const std::uint64_t> Plan::Engine::numbers_shifted() const {
  const OrbitalStageAdapter* const orbital = this->orbital();
  return orbital == nullptr ? std::span<const std::uint64_t>() : orbital->numbers_shifted();
}

std::span<const OrbitalTimes> Plan::Engine::orbital_times() const {
  const OrbitalStageAdapter* const orbital = this->orbital();
  return orbital == nullptr ? std::span<const OrbitalTimes>() : orbital->times();
}

ArrayType Plan::Engine::type(Way way) const {
  const bool forward = way == Way::forward;
  return {(forward ? input_ : output_).extent(),
          forward ? blueprint_->real_in() : blueprint_->real_out(),
          blueprint_->description().precision};
}

std::size_t Plan::Engine::bytes(Way way) const {
  const ArrayType type = this->type(way);
  return static_cast<std::size_t>(type.elements) * blueprint_->bytes(type.real);
}

PerformAwaiter Plan::Engine::call(Way way, const ConstArray& in, const Array& out, Scale scale) {
  if (!program_.done())
    throw RunFailed(
        "a Plan was called while a call of it was in progress; use co_await on forward() and "
        "backward()");
  check_array(in, type(way));
  check_array(out, type(other(way)));
  call_ = {way, scale, {in.data, bytes(way)}, {out.data, bytes(other(way))}};
  program_ = run(*node_, *this);
  return node_->perform(program_);
}

bool Plan::Engine::begin() {
  const bool known = made_pass(call_.way).has_value();
  Pass& pass = this->pass(call_.way);
  if (overlap(call_.in, call_.out) && (stages() == 1 || pass.fills_result())) keep_input();
  if (pass.fills_result()) pass.set_result(call_.out);
  return std::exchange(called_, true) || !known || pass.fills_result();
}

void Plan::Engine::keep_input() {
  kept_.resize(call_.in.size() / sizeof(Complex) + 1);
  copy_bytes(reinterpret_cast<std::byte*>(kept_.data()), call_.in.data(), call_.in.size());
  call_.in = {reinterpret_cast<const std::byte*>(kept_.data()), call_.in.size()};
}

void Plan::Engine::begin_times() {
  std::ranges::fill(times_, StageTimes{});
  times_[0].begin = times_[0].exchanged = node_->now();
  packet_times_ = {};
  if (blueprint_->description().times_packets) node_->time_packets(&packet_times_);
}

void Plan::Engine::note_packets(StageTimes& times) {
  times.packing += packet_times_.sending;
  times.unpacking += packet_times_.receiving;
  packet_times_ = {};
}

StageRun Plan::Engine::stage(std::size_t number) {
  StageState& state = pass(call_.way).states()[number];
  const bool is_last = number + 1 == stages();
  return {*node_,
          state,
          {number == 0 ? call_.in.data() : state.from.data(),
           is_last ? call_.out.data() : state.to.data()},
          &times_[number],
          blueprint_->description()};
}

double Plan::Engine::factor() const {
  const double of_norm = norm_factor(blueprint_->description(), call_.way);
  if (call_.scale == Scale::none) return of_norm;
  const double points = blueprint_->points();
  return of_norm / (call_.scale == Scale::by_n ? points : std::sqrt(points));
}

void Plan::Engine::end() {
  StageTimes& times = times_.back();
  if (const double factor = this->factor(); factor != 1) {
    scale_array(call_.out, blueprint_->description().precision, factor);
    const Tick unscaled = std::exchange(times.computed, node_->now());
    times.computing += times.computed - unscaled;
  }
  note_packets(times);
  if (blueprint_->description().times_packets) node_->time_packets(nullptr);
}

Program Plan::Engine::run_lines(Node& node, Engine& engine, StageRun stage,
                                const PipelinedExchange& exchange) {
  StageTimes& times = stage.times();
  for (std::uint32_t index = 0; index < exchange.arrivals()->indices(); ++index) {
    const Tick before = node.now();
    co_await exchange.wait_lines(index);
    if (index == 0)
      times.exchanged = node.now();
    else
      times.waiting += node.now() - before;
    const Tick packets = engine.packet_ticks();
    const StageRun::Part part = stage.lines(index);
    for (std::uint32_t slice = 0; slice < stage.slices(part); ++slice) {
      stage.transform_slice(part, slice);
      const Tick cycles = stage.slice_cycles(part, slice);
      const Tick passed = co_await node.compute(cycles);
      times.computing += passed;
    }
    times.overlapped += engine.packet_ticks() - packets;
  }
  const Tick before = node.now();
  for (std::uint32_t piece = exchange.first_outstanding(); piece < exchange.pieces(); ++piece) {
    const Exchange& outstanding = exchange.piece(piece);
    co_await outstanding.wait();
  }
  times.waiting += node.now() - before;
}

/// A stage is computed only when the exchange before it is complete and this node's own packets
/// have left, for two reasons. Packets in the queues of a computing node would keep other nodes
/// waiting, and the call's result may overwrite an input that is still being sent. A stage that
/// goes by lines does not wait, because the node handles packets between its computations.
Program Plan::Engine::run(Node& node, Engine& engine) {
  const bool needs_barrier = engine.begin();
  if (needs_barrier) co_await node.barrier();
  node.leave();  // sends the barrier's last packets before the transforms, which take long
  engine.begin_times();
  for (std::size_t number = 0; number < engine.stages(); ++number) {
    const StageRun stage = engine.stage(number);
    const bool is_last = number + 1 == engine.stages();
    if (stage.goes_in_pieces()) {
      Program pieces = send_in_pieces(node, stage);
      co_await node.perform(pieces);
    } else {
      if (stage.goes_by_lines()) {
        const PipelinedExchange& before = engine.stage(number - 1).exchange();
        Program lines = run_lines(node, engine, stage, before);
        co_await node.perform(lines);
      } else if (stage.is_orbital()) {
        Program orbital = run_orbital(node, stage, engine.blueprint().description().batch);
        co_await node.perform(orbital);
      } else {
        const Tick cycles = stage.transform();
        const Tick passed = co_await node.compute(cycles);
        stage.times().computing += passed;
      }
      stage.times().computed = node.now();
      if (!is_last) stage.start_exchange();
    }
    if (is_last) break;
    engine.note_packets(stage.times());
    if (engine.stage(number + 1).goes_by_lines()) continue;
    if (stage.is_collective()) {
      CollectiveExchange& collective = stage.collective();
      co_await collective.wait();
      collective.finish();
    } else {
      const PipelinedExchange& exchange = stage.exchange();
      for (std::uint32_t piece = exchange.first_outstanding(); piece < exchange.pieces(); ++piece) {
        const Exchange& outstanding = exchange.piece(piece);
        co_await outstanding.wait();
      }
    }
    stage.note_exchanged();
  }
  engine.end();
}

}  // namespace toroid::fft
