// One direction of a plan on one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fft/execute/collective_exchange.hpp"
#include "fft/execute/pipelined_exchange.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/stage_adapter.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/stage_transform.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {

/// How a node's part of a stage is cut into pieces of planes, which are computed and sent one by
/// one.
struct StagePieces {
  PieceRule rule{};             ///< with 0 planes, the whole stage is computed at once
  PieceCut own{};               ///< this node's pieces
  bool in_buffers = false;      ///< pieces take turns in `buffers` places of the target array
  std::uint32_t buffers = 1;    ///< number of pieces that the target array has room for
  std::int64_t from_plane = 0;  ///< bytes from one plane to the next in the source array
  std::int64_t to_plane = 0;    ///< the same in the target array
};

/// How a node's part of a stage is cut into groups of lines, one group per index. Each group is
/// transformed as soon as it has arrived.
struct StageLines {
  std::optional<unsigned> axis{};  ///< axis of the indices; none if there are no groups
  std::int64_t from_step = 0;      ///< bytes from one index to the next in the source array
  std::int64_t to_step = 0;        ///< the same in the target array
};

/// A stage with its arrays, its computation, and the exchange to the next stage.
struct StageState {
  const Stage* stage = nullptr;
  bool in_place = false;  ///< source and target are one array
  /// The stage is in place and last, so its input arrives directly in the caller's array.
  bool in_result = false;
  std::span<std::byte> from;  ///< source array; empty if it is the caller's array
  std::span<std::byte> to;    ///< target array; empty if it is the caller's array
  /// The computations. A stage in pieces has one per kind of piece, and a stage by lines has one
  /// for the lines of a single index. Any other stage has one for everything, or none if it only
  /// passes data on.
  std::vector<StageTransform> works;
  StagePieces pieces{};
  StageLines lines{};
  /// Used instead of works; null unless the stage is orbital.
  std::unique_ptr<OrbitalStageAdapter> orbital;
  // The exchange after the stage: `exchange` if packets carry it, `collective` if message passing
  // carries it. The other one is null. Both are null for the last stage.
  std::unique_ptr<PipelinedExchange> exchange;
  std::unique_ptr<CollectiveExchange> collective;
};

/// The stages of one direction, in order. Plan::Engine owns and drives it.
class Pass {
 public:
  Pass(Node& node, const Blueprint& blueprint, Way way);

  std::vector<StageState>& states() { return states_; }
  const std::vector<StageState>& states() const { return states_; }
  /// Whether the last stage's input arrives directly in the caller's array. If so, all nodes must
  /// know their callers' arrays before any node sends.
  bool fills_result() const { return states_.back().in_result; }
  /// Sets the caller's array of this call. REQUIRES: fills_result(), and no exchange is under way.
  void set_result(std::span<std::byte> result);
  /// Bytes of all arrays that the pass has allocated.
  std::size_t bytes() const;

 private:
  struct Side {
    const Distribution* distribution;
    bool real;
  };
  // Stages are numbered in the order of this direction.
  Side from(std::size_t number) const;
  Side to(std::size_t number) const;
  const Stage& stage(std::size_t number) const;
  /// The blueprint's number of the exchange after a stage.
  std::size_t exchange_number(std::size_t stage) const;
  const StageExchange& exchange(std::size_t stage) const;
  std::size_t last() const { return blueprint_->stages().size() - 1; }

  void add_stage(std::size_t number);
  void set_pieces(StageState& state, std::size_t number);
  void set_work(StageState& state, std::size_t number);
  void set_lines(StageState& state, std::size_t number);
  void set_piece_works(StageState& state, const LocalTask& whole);
  StageTransform line_work(const StageState& state, const LocalTask& whole) const;
  /// Maximum number of lines per step of a kernel; packets are handled between steps. 0 if kernels
  /// are not cut into steps.
  std::int64_t kernel_interval() const;
  LocalTask task(std::size_t number, const StageState& state) const;
  /// `test_interval`: see StageTransform.
  StageTransform prepare(const LocalTask& task, std::int64_t test_interval = 0) const;
  /// Number of elements to allocate for the target array.
  std::int64_t room_for(const StageState& state, const NodeLayout& to) const;
  void connect(std::size_t number);
  void connect_by_messages(std::size_t number);
  std::span<std::byte> allocate(std::int64_t elements, bool real);
  NodeLayout layout(const Side& side) const { return side.distribution->layout(node_->rank()); }

  Node* node_;
  const Blueprint* blueprint_;
  Way way_;
  std::unique_ptr<MessagePassing> messages_;  ///< null if active packets carry the exchanges
  std::vector<LocalArray> arrays_;
  std::vector<StageState> states_;
};

}  // namespace toroid::fft
