#include "fft/execute/pass.hpp"

#include <algorithm>

#include "fft/layout/box.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/message_passing/envelope.hpp"

namespace toroid::fft {
namespace {

/// Number of pieces that the target array of a stage in pieces has room for: one piece is computed
/// while the previous one is sent. More pieces would not stay in the cache.
constexpr std::uint32_t kBuffers = 2;

}  // namespace

Pass::Pass(Node& node, const Blueprint& blueprint, Way way)
    : node_(&node), blueprint_(&blueprint), way_(way) {
  for (std::size_t number = 0; number <= last(); ++number) add_stage(number);
  if (blueprint.description().layer == Layer::message_passing && last() > 0)
    messages_ =
        std::make_unique<MessagePassing>(node, node.reserve_handlers(MessagePassing::kHandlers));
  for (std::size_t number = 0; number < last(); ++number)
    messages_ ? connect_by_messages(number) : connect(number);
}

const Stage& Pass::stage(std::size_t number) const {
  return blueprint_->stages()[way_ == Way::forward ? number : last() - number];
}

std::size_t Pass::exchange_number(std::size_t stage) const {
  return way_ == Way::forward ? stage : last() - 1 - stage;
}

const StageExchange& Pass::exchange(std::size_t stage) const {
  return blueprint_->exchanges()[exchange_number(stage)];
}

Pass::Side Pass::from(std::size_t number) const {
  const Stage& stage = this->stage(number);
  return way_ == Way::forward ? Side{&stage.in, stage.real_in} : Side{&stage.out, stage.real_out};
}

Pass::Side Pass::to(std::size_t number) const {
  const Stage& stage = this->stage(number);
  return way_ == Way::forward ? Side{&stage.out, stage.real_out} : Side{&stage.in, stage.real_in};
}

std::span<std::byte> Pass::allocate(std::int64_t elements, bool real) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * blueprint_->bytes(real);
  LocalArray& array = arrays_.emplace_back(LocalArray::of_bytes(bytes));
  return {reinterpret_cast<std::byte*>(array.data()), bytes};
}

std::size_t Pass::bytes() const {
  std::size_t bytes = 0;
  for (const LocalArray& array : arrays_) bytes += array.size() * sizeof(Complex);
  for (const StageState& state : states_) {
    for (const StageTransform& work : state.works) bytes += work.scratch_bytes();
    if (state.collective) bytes += state.collective->bytes();
    if (state.orbital) bytes += state.orbital->array_bytes();
  }
  return bytes;
}

void Pass::add_stage(std::size_t number) {
  StageState& state = states_.emplace_back();
  state.stage = &stage(number);
  const Side from = this->from(number);
  const Side to = this->to(number);
  const NodeLayout from_layout = layout(from);
  const NodeLayout to_layout = layout(to);
  const bool is_first = number == 0;
  const bool is_last = number == last();
  state.in_place = state.stage->same_distribution && (!is_first || state.stage->is_empty()) &&
                   (!is_last || (!is_first && blueprint_->description().may_leave_gaps));
  state.in_result = is_last && state.in_place;
  if (!is_first && !state.in_result) state.from = allocate(from_layout.extent(), from.real);
  set_pieces(state, number);
  set_lines(state, number);
  if (state.in_place)
    state.to = state.from;
  else if (!is_last)
    state.to = allocate(room_for(state, to_layout), to.real);
  set_work(state, number);
}

std::int64_t Pass::room_for(const StageState& state, const NodeLayout& to) const {
  const StagePieces& pieces = state.pieces;
  if (!pieces.in_buffers) return to.extent();
  return pieces.buffers * pieces.rule.planes * to.stride(pieces.rule.axis);
}

void Pass::set_pieces(StageState& state, std::size_t number) {
  if (number == last() || state.in_place) return;
  StagePieces& pieces = state.pieces;
  const PieceRule rule = blueprint_->pieces(exchange_number(number), way_);
  if (rule.planes == 0) return;
  const Side to = this->to(number);
  const NodeLayout from_layout = layout(this->from(number));
  const NodeLayout to_layout = layout(to);
  const Rank nodes = exchange(number).group(blueprint_->shape(), node_->rank()).size();
  const std::int64_t longest = Split{to.distribution->extents[rule.axis], nodes}.most();
  const std::uint32_t all = PieceCut(rule, longest).pieces();
  const std::int64_t length = to_layout.size() == 0 ? 0 : to_layout.boxes()[0].length(rule.axis);
  pieces.rule = rule;
  pieces.own = PieceCut(rule, length);
  pieces.in_buffers = to_layout.order()[0] == rule.axis;
  pieces.buffers = pieces.in_buffers ? std::min(all, kBuffers) : all;
  pieces.from_plane =
      from_layout.stride(rule.axis) * std::int64_t{blueprint_->bytes(this->from(number).real)};
  pieces.to_plane = to_layout.stride(rule.axis) * std::int64_t{blueprint_->bytes(to.real)};
}

/// A stage that runs in pieces does not run by lines.
void Pass::set_lines(StageState& state, std::size_t number) {
  if (number == 0 || state.pieces.rule.planes > 0) return;
  const auto axis = blueprint_->line_axis(exchange_number(number - 1), way_);
  if (!axis) return;
  const Side from = this->from(number);
  const Side to = this->to(number);
  state.lines = {axis, layout(from).stride(*axis) * std::int64_t{blueprint_->bytes(from.real)},
                 layout(to).stride(*axis) * std::int64_t{blueprint_->bytes(to.real)}};
}

LocalTask Pass::task(std::size_t number, const StageState& state) const {
  const Side from = this->from(number);
  const Side to = this->to(number);
  const auto is_aligned = [](std::int64_t step) { return step % 16 == 0; };
  const std::int64_t planes = state.pieces.own.kinds() > 1 ? 1 : state.pieces.rule.planes;
  const bool aligned = is_aligned(planes * state.pieces.from_plane) &&
                       is_aligned(planes * state.pieces.to_plane) &&
                       is_aligned(state.lines.from_step) && is_aligned(state.lines.to_step);
  return {.from = layout(from),
          .to = layout(to),
          .axes = state.stage->axes,
          .real_from = from.real,
          .real_to = to.real,
          .backward = way_ == Way::backward,
          .in_place = state.in_place,
          .may_destroy_from = number > 0,
          .aligned = aligned,
          .cores = blueprint_->description().cores};
}

StageTransform Pass::prepare(const LocalTask& task, std::int64_t test_interval) const {
  return StageTransform(task, blueprint_->description(), node_->machine(), test_interval);
}

void Pass::set_work(StageState& state, std::size_t number) {
  if (state.stage->is_orbital) {
    state.orbital = OrbitalStageAdapter::make(*node_, blueprint_->description(), way_);
    return;
  }
  const bool sends_what_it_finds = state.in_place && state.stage->is_empty();
  if (sends_what_it_finds) return;
  const LocalTask whole = task(number, state);
  if (state.pieces.rule.planes > 0)
    set_piece_works(state, whole);
  else if (state.lines.axis && whole.to.size() > 0)
    state.works.push_back(line_work(state, whole));
  else
    state.works.push_back(prepare(whole));
}

std::int64_t Pass::kernel_interval() const {
  return node_->has_virtual_time() ? 0 : blueprint_->description().overlap.test_interval;
}

void Pass::set_piece_works(StageState& state, const LocalTask& whole) {
  const PieceCut& own = state.pieces.own;
  const unsigned axis = state.pieces.rule.axis;
  state.works.resize(own.kinds());
  for (std::uint32_t piece = 0; piece < own.pieces(); ++piece) {
    if (piece > 0 && own.kind(piece) == 0) continue;
    const std::int64_t begin = whole.to.boxes()[0].lo[axis];
    LocalTask first = whole;
    first.stays_in_cache = true;
    first.from = whole.from.planes(axis, begin, begin + own.length(piece));
    first.to = whole.to.planes(axis, begin, begin + own.length(piece));
    state.works[own.kind(piece)] = prepare(first, kernel_interval());
  }
}

/// The work on the lines of the first index. The lines of other indices differ only by a shift.
StageTransform Pass::line_work(const StageState& state, const LocalTask& whole) const {
  const unsigned axis = *state.lines.axis;
  const std::int64_t begin = whole.to.boxes()[0].lo[axis];
  LocalTask first = whole;
  first.from = whole.from.planes(axis, begin, begin + 1);
  first.to = whole.to.planes(axis, begin, begin + 1);
  return prepare(first, kernel_interval());
}

void Pass::set_result(std::span<std::byte> result) {
  TOROID_CHECK(fills_result());
  states_.back().from = states_.back().to = result;
  const StageState& before = states_[last() - 1];
  messages_ ? before.collective->set_target(result) : before.exchange->set_target(result);
}

void Pass::connect(std::size_t number) {
  StageState& state = states_[number];
  const StageExchange& next = exchange(number);
  const Side from = to(number);
  const Side target = this->from(number + 1);
  const PieceRule& rule = state.pieces.rule;
  const Pipeline pipeline{rule, rule.planes == 0 ? 1 : blueprint_->description().overlap.window,
                          states_[number + 1].lines.axis};
  state.exchange = std::make_unique<PipelinedExchange>(
      *node_, *from.distribution, *target.distribution, blueprint_->bytes(from.real),
      next.group(blueprint_->shape(), node_->rank()),
      blueprint_->exchange_plan(exchange_number(number), way_, *node_), pipeline,
      states_[number + 1].from);
}

void Pass::connect_by_messages(std::size_t number) {
  const Side from = to(number);
  const Side target = this->from(number + 1);
  states_[number].collective = std::make_unique<CollectiveExchange>(
      *messages_, static_cast<Communicator>(number), *from.distribution, *target.distribution,
      blueprint_->bytes(from.real), exchange(number).group(blueprint_->shape(), node_->rank()),
      states_[number + 1].from);
}

}  // namespace toroid::fft
