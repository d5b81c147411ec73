#include "fft/execute/stage_run.hpp"

#include <algorithm>

#include "packet/exchange/exchange.hpp"

namespace toroid::fft {

Tick StageRun::transform() const {
  const Tick begin = node_->now();
  if (!state_->in_place || !state_->stage->is_empty())
    state_->works.front().run(arrays_.source, arrays_.target);
  times().computing += node_->now() - begin;
  return state_->works.empty() ? 0 : state_->works.front().cycles();
}

void StageRun::start_exchange() const {
  times_[1].begin = node_->now();
  const std::byte* const source = state_->in_place ? arrays_.source : arrays_.target;
  is_collective() ? collective().start(source) : start(0, source, times_[1]);
}

void StageRun::start(std::uint32_t piece, const std::byte* source, StageTimes& times) const {
  if (!times_packets_) return state_->exchange->start(piece, source);
  const Tick begin = node_->now();
  state_->exchange->start(piece, source);
  times.packing += node_->now() - begin;
}

std::byte* StageRun::buffer(std::uint32_t piece) const {
  const StagePieces& pieces = state_->pieces;
  if (pieces.in_buffers)
    return arrays_.target + piece % pieces.buffers * pieces.rule.planes * pieces.to_plane;
  return piece < pieces.own.pieces() ? arrays_.target + pieces.own.begin(piece) * pieces.to_plane
                                     : arrays_.target;
}

StageRun::Part StageRun::piece(std::uint32_t piece) const {
  const StagePieces& pieces = state_->pieces;
  if (piece >= pieces.own.pieces()) return {nullptr, nullptr, nullptr};
  return {&state_->works[pieces.own.kind(piece)],
          arrays_.source + pieces.own.begin(piece) * pieces.from_plane, buffer(piece)};
}

StageRun::Part StageRun::lines(std::uint32_t index) const {
  return {&state_->works.front(), arrays_.source + index * state_->lines.from_step,
          arrays_.target + index * state_->lines.to_step};
}

void StageRun::transform_slice(const Part& part, std::uint32_t slice) const {
  if (slice > 0 && !cuts_kernels()) return;
  const Tick begin = node_->now();
  if (cuts_kernels())
    part.work->run_step(slice, part.source, part.target);
  else
    part.work->run(part.source, part.target);
  times().computing += node_->now() - begin;
}

void StageRun::start_piece(std::uint32_t piece) const {
  if (piece == 0) times_[1].begin = node_->now();
  start(piece, buffer(piece), times());
}

std::uint32_t StageRun::slices(const Part& part) const {
  if (part.work == nullptr) return 0;
  if (cuts_kernels()) return part.work->steps();
  if (test_interval_ == 0) return 1;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, part.work->lines() / test_interval_));
}

/// The cycles of a part's slices add up exactly to the part's cycles.
Tick StageRun::slice_cycles(const Part& part, std::uint32_t slice) const {
  const Tick all = part.work->cycles();
  const Tick slices = this->slices(part);
  return all * (slice + 1) / slices - all * slice / slices;
}

void StageRun::load_orbital(std::int64_t array, std::size_t lane) const {
  const std::size_t bytes = state_->orbital->bytes();
  state_->orbital->put(lane, arrays_.source + static_cast<std::size_t>(array) * bytes);
}

void StageRun::store_orbital(std::int64_t array, std::size_t lane) const {
  const std::size_t bytes = state_->orbital->bytes();
  state_->orbital->get(lane, arrays_.target + static_cast<std::size_t>(array) * bytes);
}

Program send_in_pieces(Node& node, StageRun stage) {
  StageTimes& times = stage.times();
  const PipelinedExchange& exchange = stage.exchange();
  for (std::uint32_t piece = 0; piece < exchange.pieces(); ++piece) {
    if (piece >= stage.buffers()) {  // wait until the previous piece in this buffer has left
      const Tick before = node.now();
      const Exchange& last = exchange.piece(piece - stage.buffers());
      co_await last.wait_sent();
      times.waiting += node.now() - before;
    }
    const StageRun::Part part = stage.piece(piece);
    for (std::uint32_t slice = 0; slice < stage.slices(part); ++slice) {
      stage.transform_slice(part, slice);
      const Tick cycles = stage.slice_cycles(part, slice);
      const Tick passed = co_await node.compute(cycles);
      times.computing += passed;
    }
    if (piece >= exchange.window()) {
      const Tick before = node.now();
      const Exchange& oldest = exchange.piece(piece - exchange.window());
      co_await oldest.wait();
      times.waiting += node.now() - before;
    }
    stage.start_piece(piece);
    const Tick at_once = 0;  // send as many packets as fit now, while the piece is in the cache
    co_await node.compute(at_once);
  }
  times.computed = node.now();
}

Program run_orbital(Node& node, StageRun stage, std::int64_t batch) {
  const auto most = static_cast<std::int64_t>(stage.orbital().lanes());
  for (std::int64_t first = 0; first < batch; first += most) {
    const auto lanes = static_cast<std::size_t>(std::min(most, batch - first));
    for (std::size_t lane = 0; lane < lanes; ++lane)
      stage.load_orbital(first + static_cast<std::int64_t>(lane), lane);
    Program transforms = stage.orbital().program(lanes);
    co_await node.perform(transforms);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      stage.store_orbital(first + static_cast<std::int64_t>(lane), lane);
  }
}

}  // namespace toroid::fft
