#include "fft/execute/engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fft/execute/local_array.hpp"
#include "fft/execute/local_work.hpp"
#include "fft/execute/pass.hpp"
#include "fft/execute/pipelined_exchange.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/base.hpp"
#include "fft/orbital/stage_state.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/check.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {
namespace {

template <typename T>
void multiply(std::span<T> numbers, T factor) {
  for (T& number : numbers) number *= factor;
}

bool overlap(const std::byte* a, std::size_t a_bytes, const std::byte* b, std::size_t b_bytes) {
  return std::less<>()(a, b + b_bytes) && std::less<>()(b, a + a_bytes);
}

}  // namespace

Plan::Engine::Engine(Node& node, std::shared_ptr<const Blueprint> blueprint)
    : node_(&node),
      blueprint_(std::move(blueprint)),
      input_(blueprint_->stages().front().in.layout(node.rank())),
      output_(blueprint_->stages().back().out.layout(node.rank())),
      times_(blueprint_->stages().size()) {
  leg(blueprint_->description().first);
}

/// Made when it is needed first, so that a plan that goes one way only costs that.
Pass& Plan::Engine::leg(Way way) {
  std::optional<Pass>& made = legs_[static_cast<std::size_t>(way)];
  if (!made) made.emplace(*node_, *blueprint_, way);
  return *made;
}

std::size_t Plan::Engine::array_bytes() const {
  std::size_t bytes = kept_.size() * sizeof(Complex);
  for (const std::optional<Pass>& leg : legs_)
    if (leg) bytes += leg->bytes();
  return bytes;
}

std::size_t Plan::Engine::bytes(Way way) const {
  const NodeLayout& layout = way == Way::forward ? input_ : output_;
  return static_cast<std::size_t>(layout.extent()) * blueprint_->bytes(takes_real(way));
}

template <typename Side>
void Plan::Engine::check_side(const Side& array, const NodeLayout& layout, bool real) const {
  if (array.size < static_cast<std::size_t>(layout.extent()))
    throw BadInput(fmt::format("a local array of {} elements where {} are needed", array.size,
                               layout.extent()));
  if (layout.extent() == 0) return;
  if (array.real != real || array.precision != blueprint_->description().precision)
    throw BadInput("a local array of another type of element than the plan's");
  if (reinterpret_cast<std::uintptr_t>(array.data) % 16 != 0)
    throw BadInput("a local array must begin at a multiple of 16 bytes");
}

void Plan::Engine::check(Way way, const ConstArray& in, const Array& out) const {
  const bool forward = way == Way::forward;
  check_side(in, forward ? input_ : output_, takes_real(way));
  check_side(out, forward ? output_ : input_, takes_real(other(way)));
}

bool Plan::Engine::begin() {
  const bool known = legs_[static_cast<std::size_t>(way_)].has_value();
  Pass& leg = this->leg(way_);
  const bool same_place = overlap(in_, bytes(way_), out_, bytes(other(way_)));
  if (same_place && (stations().size() == 1 || leg.fills_result())) keep_input();
  if (leg.fills_result()) leg.set_result({out_, bytes(other(way_))});
  return std::exchange(called_, true) || !known || leg.fills_result();
}

void Plan::Engine::keep_input() {
  kept_.resize(bytes(way_) / sizeof(Complex) + 1);
  std::memcpy(static_cast<void*>(kept_.data()), in_, bytes(way_));
  in_ = reinterpret_cast<const std::byte*>(kept_.data());
}

void Plan::Engine::begin_time() {
  std::ranges::fill(times_, StageTimes{});
  times_[0].begin = times_[0].exchanged = node_->now();
}

const std::byte* Plan::Engine::source(const StageState& station) const {
  return &station == &legs_[static_cast<std::size_t>(way_)]->stations().front()
             ? in_
             : station.from.data();
}

std::byte* Plan::Engine::target(const StageState& station) const {
  return &station == &legs_[static_cast<std::size_t>(way_)]->stations().back() ? out_
                                                                               : station.to.data();
}

OrbitalBase* Plan::Engine::orbital(std::size_t number) {
  OrbitalStageState* station = stations()[number].orbital.get();
  return station == nullptr ? nullptr : &station->transform();
}

void Plan::Engine::put_orbital(std::size_t number, std::int64_t array) {
  const StageState& station = stations()[number];
  const std::size_t bytes = station.orbital->bytes();
  station.orbital->put(source(station) + static_cast<std::size_t>(array) * bytes);
}

void Plan::Engine::get_orbital(std::size_t number, std::int64_t array) {
  const StageState& station = stations()[number];
  const std::size_t bytes = station.orbital->bytes();
  station.orbital->get(target(station) + static_cast<std::size_t>(array) * bytes);
  const auto rolled = station.orbital->transform().numbers_rolled();
  numbers_rolled_.insert(numbers_rolled_.end(), rolled.begin(), rolled.end());
  station.orbital->transform().forget_numbers_rolled();
}

Tick Plan::Engine::work(std::size_t number) {
  StageState& station = stations()[number];
  const Tick begin = node_->now();
  if (!station.in_place || !station.stage->is_empty())
    station.work.run(source(station), target(station));
  times_[number].computing += node_->now() - begin;
  return station.work.cycles();
}

void Plan::Engine::start_exchange(std::size_t number) {
  const StageState& station = stations()[number];
  times_[number + 1].begin = node_->now();
  station.exchange->start(0, station.in_place ? source(station) : station.to.data());
}

std::uint32_t Plan::Engine::pieces(std::size_t number) {
  const StageState& station = stations()[number];
  return station.pieces.planes == 0 ? 0 : station.exchange->pieces();
}

LocalWork& Plan::Engine::work_of(StageState& station, std::uint32_t piece) const {
  const bool is_rest = piece + 1 == station.pieces.own && station.rest_work.lines() > 0;
  return is_rest ? station.rest_work : station.work;
}

std::byte* Plan::Engine::buffer(const StageState& station, std::uint32_t piece) const {
  return station.to.data() + piece % station.pieces.buffers * station.pieces.to_step;
}

std::uint32_t Plan::Engine::looks(std::size_t number, std::uint32_t piece) {
  StageState& station = stations()[number];
  const std::int64_t interval = blueprint_->description().overlap.test_interval;
  if (piece >= station.pieces.own) return 0;
  if (interval == 0) return 1;
  const std::int64_t lines = work_of(station, piece).lines();
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, lines / interval));
}

Tick Plan::Engine::slice(std::size_t number, std::uint32_t piece, std::uint32_t look) {
  const Tick all = work_of(stations()[number], piece).cycles();
  const Tick looks = this->looks(number, piece);
  return all * (look + 1) / looks - all * look / looks;
}

void Plan::Engine::work_piece(std::size_t number, std::uint32_t piece) {
  StageState& station = stations()[number];
  if (piece >= station.pieces.own) return;
  const Tick begin = node_->now();
  work_of(station, piece)
      .run(source(station) + piece * station.pieces.from_step, buffer(station, piece));
  times_[number].computing += node_->now() - begin;
}

void Plan::Engine::start_piece(std::size_t number, std::uint32_t piece) {
  const StageState& station = stations()[number];
  if (piece == 0) times_[number + 1].begin = node_->now();
  station.exchange->start(piece, buffer(station, piece));
}

void Plan::Engine::scale_result() {
  if (scale_ == Scale::none) return;
  const double n = blueprint_->points();
  const double factor = scale_ == Scale::by_n ? 1 / n : 1 / std::sqrt(n);
  const std::size_t bytes = this->bytes(other(way_));
  if (blueprint_->description().precision == Precision::single)
    multiply(std::span(reinterpret_cast<float*>(out_), bytes / sizeof(float)),
             static_cast<float>(factor));
  else
    multiply(std::span(reinterpret_cast<double*>(out_), bytes / sizeof(double)), factor);
}

void Plan::Engine::end() {
  scale_result();
  times_.back().computed = node_->now();
}

namespace {

/// Piece after piece is transformed and sent.
Program send_in_pieces(Node& node, Plan::Engine& engine, std::size_t station) {
  StageTimes& time = engine.time(station);
  Exchange& exchange = *engine.exchange(station);
  const std::uint32_t buffers = engine.stations()[station].pieces.buffers;
  for (std::uint32_t piece = 0; piece < exchange.pieces(); ++piece) {
    if (piece >= buffers) {  // the one that stands where this will
      const Tick before = node.now();
      const AllToAll& last = exchange.piece(piece - buffers);
      const std::uint64_t starts = last.starts();
      co_await node.until(last.sent(), starts);
      time.waiting += node.now() - before;
    }
    engine.work_piece(station, piece);
    for (std::uint32_t look = 0; look < engine.looks(station, piece); ++look) {
      const Tick cycles = engine.slice(station, piece, look);
      const Tick passed = co_await node.compute(cycles);
      time.computing += passed;
    }
    if (piece >= exchange.window()) {
      const Tick before = node.now();
      const AllToAll& oldest = exchange.piece(piece - exchange.window());
      co_await oldest.wait();
      time.waiting += node.now() - before;
    }
    engine.start_piece(station, piece);
    const Tick at_once = 0;  // what finds room leaves while the piece is in the cache
    co_await node.compute(at_once);
  }
  time.computed = node.now();
}

/// The orbital transform of one array after the other.
Program orbit(Node& node, Plan::Engine& engine, std::size_t station) {
  for (std::int64_t array = 0; array < engine.batch(); ++array) {
    engine.put_orbital(station, array);
    Program transform = orbital_transform(node, *engine.orbital(station));
    co_await node.perform(transform);
    engine.get_orbital(station, array);
  }
}

/// What arrives and what is sent is waited for before the next computation: packets left in the
/// queues of a node that computes would keep others waiting, and the result may take the input's
/// place.
///
/// Why a barrier between calls is enough. A node comes to it with everything received and
/// everything of its own sent; when it lets anybody through, all have come. From then on whatever
/// arrives belongs to the next call, and the arrays that it is written to are nobody's source any
/// more. Within a call every exchange has an array of its own to arrive in.
Program run_transform(Node& node, Plan::Engine& engine) {
  const bool needs_barrier = engine.begin();
  if (needs_barrier) co_await node.barrier();
  engine.begin_time();
  const std::size_t stations = engine.stations().size();
  for (std::size_t number = 0; number < stations; ++number) {
    const bool is_last = number + 1 == stations;
    if (engine.pieces(number) > 0) {
      engine.part = send_in_pieces(node, engine, number);
      co_await node.perform(engine.part);
    } else {
      if (engine.orbital(number) != nullptr) {
        engine.part = orbit(node, engine, number);
        co_await node.perform(engine.part);
      } else {
        const Tick cycles = engine.work(number);
        const Tick passed = co_await node.compute(cycles);
        engine.time(number).computing += passed;
      }
      engine.time(number).computed = node.now();
      if (!is_last) engine.start_exchange(number);
    }
    if (is_last) break;
    const Exchange& exchange = *engine.exchange(number);
    for (std::uint32_t piece = exchange.first_outstanding(); piece < exchange.pieces(); ++piece) {
      const AllToAll& outstanding = exchange.piece(piece);
      co_await outstanding.wait();
    }
    engine.time(number + 1).exchanged = node.now();
  }
  engine.end();
}

}  // namespace

PerformAwaiter Plan::Engine::call(Way way, const ConstArray& in, const Array& out, Scale scale) {
  TOROID_CHECK(program_.done());
  check(way, in, out);
  numbers_rolled_.clear();
  way_ = way;
  in_ = in.data;
  out_ = out.data;
  scale_ = scale;
  program_ = run_transform(*node_, *this);
  return node_->perform(program_);
}

}  // namespace toroid
