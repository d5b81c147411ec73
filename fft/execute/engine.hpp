// The implementation of a Plan on one node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fft/execute/caller_arrays.hpp"
#include "fft/execute/pass.hpp"
#include "fft/execute/pipelined_exchange.hpp"
#include "fft/execute/stage_run.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/stage_adapter.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/packet_times.hpp"
#include "hal/tick.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// The passes of both directions and the call that is under way. A Plan owns the engine; only the
/// node's own thread calls it.
///
/// Barriers: every call begins with a barrier. Only the plan's first call needs none, if its
/// direction is Description::first and Pass::fills_result() is false.
/// **Safety:** a node reaches the barrier when it has sent and received all packets of its previous
/// call, and passes the barrier when all nodes have reached it. So packets that arrive later belong
/// to the next call, and no node still sends from the arrays in which these packets are stored.
/// Within a call, the packets of each exchange are stored in an array of its own.
class Plan::Engine {
 public:
  Engine(Node& node, std::shared_ptr<const Blueprint> blueprint);
  Engine(const Engine&) = delete;  // programs refer to the engine

  /// Null if the node has been destroyed.
  Node* node() const { return attachment_.node(); }
  const Blueprint& blueprint() const { return *blueprint_; }
  const NodeLayout& input() const { return input_; }
  const NodeLayout& output() const { return output_; }
  std::span<const StageTimes> times() const { return times_; }
  std::span<const std::uint64_t> numbers_shifted() const;
  std::span<const OrbitalTimes> orbital_times() const;
  std::size_t array_bytes() const;
  PerformAwaiter call(Way way, const ConstArray& in, const Array& out, Scale scale);

 private:
  struct Call {
    Way way = Way::forward;
    Scale scale = Scale::none;
    std::span<const std::byte> in{};
    std::span<std::byte> out{};
  };

  static Program run(Node& node, Engine& engine);
  /// The orbital stage of the last call's direction; null if the method is not orbital.
  const OrbitalStageAdapter* orbital() const;
  /// Prepares the call's arrays. Returns whether the call needs a barrier.
  bool begin();
  void begin_times();
  void note_packets(StageTimes& times);
  /// Transforms the lines of each index as soon as `exchange` has brought them, then waits for the
  /// rest of the exchange.
  static Program run_lines(Node& node, Engine& engine, StageRun stage,
                           const PipelinedExchange& exchange);
  /// Ticks spent on packets since the previous stage ended.
  Tick packet_ticks() const { return packet_times_.sending + packet_times_.receiving; }
  StageRun stage(std::size_t number);
  std::size_t stages() const { return times_.size(); }
  /// The factor with which the call's result is multiplied.
  double factor() const;
  void end();

  /// The type of the input of a call in direction `way`, and of the output of a call in the other
  /// direction.
  ArrayType type(Way way) const;
  std::size_t bytes(Way way) const;
  std::optional<Pass>& made_pass(Way way) { return passes_[static_cast<std::size_t>(way)]; }
  Pass& pass(Way way);
  void keep_input();

  Node* node_;
  std::shared_ptr<const Blueprint> blueprint_;
  NodeLayout input_;
  NodeLayout output_;
  std::array<std::optional<Pass>, 2> passes_;  ///< by Way; each is made when first needed
  bool called_ = false;

  Call call_;
  std::vector<StageTimes> times_;
  PacketTimes packet_times_;   ///< times since the previous stage ended
  std::vector<Complex> kept_;  ///< copy of the input if the result would overwrite it too early
  Program program_;
  Attachment attachment_;
};

}  // namespace toroid::fft
