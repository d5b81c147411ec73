// One stage of the call that is under way on a node.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fft/execute/collective_exchange.hpp"
#include "fft/execute/pass.hpp"
#include "fft/execute/pipelined_exchange.hpp"
#include "fft/orbital/stage_adapter.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "fft/plan/stage_transform.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// One stage of the current call: where it finds and leaves its data, its computation, and the
/// start of the exchange after it. A stage runs all at once, or in pieces, or it is the orbital
/// transform, which does its own communication. After an exchange in pieces it may run line by
/// line. This is a plain value that lives in the frames of the call's programs.
class StageRun {
 public:
  /// The array that the stage reads and the one that it fills.
  struct Arrays {
    const std::byte* source;
    std::byte* target;
  };
  /// `times` points to the times of this stage, with the next stage's times after it.
  StageRun(Node& node, StageState& state, Arrays arrays, StageTimes* times,
           const Description& description)
      : node_(&node),
        state_(&state),
        arrays_(arrays),
        times_(times),
        test_interval_(description.overlap.test_interval),
        times_packets_(description.times_packets) {}

  bool goes_in_pieces() const { return state_->pieces.rule.planes > 0; }
  bool goes_by_lines() const { return state_->lines.axis.has_value(); }
  bool is_orbital() const { return state_->orbital != nullptr; }
  StageTimes& times() const { return times_[0]; }
  bool is_collective() const { return state_->collective != nullptr; }
  /// The exchange after the stage. REQUIRES: the stage is not the last, and packets carry the
  /// exchange.
  PipelinedExchange& exchange() const { return *state_->exchange; }
  /// The exchange after the stage. REQUIRES: the stage is not the last, and message passing carries
  /// the exchange.
  CollectiveExchange& collective() const { return *state_->collective; }

  // For a stage that runs all at once.
  /// Transforms the node's part. Returns the cycles that this takes in virtual time.
  Tick transform() const;
  void start_exchange() const;
  void note_exchanged() const { times_[1].exchanged = node_->now(); }

  // For a stage that runs in parts, i.e. in pieces or line by line. A part is transformed slice by
  // slice, and its cycles are spent slice by slice. Between two slices the node sends and receives
  // packets.
  struct Part {
    StageTransform* work;  ///< null if the node has no part of the piece
    const std::byte* source;
    std::byte* target;
  };
  std::uint32_t slices(const Part& part) const;
  /// If only the part's cycles are cut into slices, and not its kernels, the first slice transforms
  /// the whole part.
  void transform_slice(const Part& part, std::uint32_t slice) const;
  Tick slice_cycles(const Part& part, std::uint32_t slice) const;

  // For a stage in pieces of planes, which are sent one by one.
  Part piece(std::uint32_t piece) const;
  /// Number of pieces that the target array has room for.
  std::uint32_t buffers() const { return state_->pieces.buffers; }
  void start_piece(std::uint32_t piece) const;

  /// The part that consists of the lines of one index.
  Part lines(std::uint32_t index) const;

  // For the orbital transform, which transforms up to lanes() arrays of the batch at the same time.
  OrbitalStageAdapter& orbital() const { return *state_->orbital; }
  void load_orbital(std::int64_t array, std::size_t lane) const;
  void store_orbital(std::int64_t array, std::size_t lane) const;

 private:
  /// Whether kernels are cut at test intervals, and not only their cycles.
  bool cuts_kernels() const { return test_interval_ > 0 && !node_->has_virtual_time(); }
  std::byte* buffer(std::uint32_t piece) const;
  /// Starts a piece of the exchange and adds the time that this takes to `times`.
  void start(std::uint32_t piece, const std::byte* source, StageTimes& times) const;

  Node* node_;
  StageState* state_;
  Arrays arrays_;
  StageTimes* times_;
  std::int64_t test_interval_;
  bool times_packets_;
};

/// Transforms and sends piece by piece. When it ends, the last pieces may still be on their way.
Program send_in_pieces(Node& node, StageRun stage);

/// Runs the orbital transform on every array of the batch.
Program run_orbital(Node& node, StageRun stage, std::int64_t batch);

}  // namespace toroid::fft
