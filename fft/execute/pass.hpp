// One direction of a plan on one node: stations, i.e. stages with their arrays and what leads from
// each to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fft/execute/local_array.hpp"
#include "fft/execute/local_work.hpp"
#include "fft/execute/pipelined_exchange.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/stage_state.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "packet/node/node.hpp"

namespace toroid {

/// The pieces of a stage that leave one by one.
struct StagePieces {
  unsigned axis = 0;
  std::int64_t planes = 0;     ///< of a piece; 0: all is one
  std::uint32_t own = 1;       ///< that this node has something in
  std::uint32_t buffers = 1;   ///< pieces that the array has room for
  std::int64_t from_step = 0;  ///< bytes from a piece to the next
  std::int64_t to_step = 0;
};

struct StageState {
  const Stage* stage = nullptr;
  bool in_place = false;
  bool in_result =
      false;  ///< last, and in place: what arrives goes straight into the caller's array
  std::span<std::byte> from;  ///< where it finds its data; empty: the caller's
  std::span<std::byte> to;    ///< where it leaves it; empty: the caller's
  LocalWork work;             ///< of a whole piece
  LocalWork rest_work;        ///< of a last piece that is shorter
  StagePieces pieces{};
  std::unique_ptr<OrbitalStageState> orbital;  ///< instead of work
  std::unique_ptr<Exchange> exchange;          ///< to the next; none: it is the last
};

class Pass {
 public:
  Pass(Node& node, const Blueprint& blueprint, Way way);

  std::vector<StageState>& stations() { return stations_; }
  const std::vector<StageState>& stations() const { return stations_; }
  /// What arrives for the last station goes straight into the caller's array, which everybody must
  /// know before anybody sends.
  bool fills_result() const { return stations_.back().in_result; }
  /// Of its arrays.
  std::size_t bytes() const;
  /// Where it goes in this call. REQUIRES: fills_result(), and nothing is under way.
  void set_result(std::span<std::byte> result);

 private:
  struct Side {
    const Distribution* spread;
    bool real;
  };
  Side from(std::size_t station) const;
  Side to(std::size_t station) const;
  const Stage& stage(std::size_t station) const;
  std::size_t exchange_number(std::size_t station) const;
  const StageExchange& exchange(std::size_t station) const;
  std::size_t last() const { return blueprint_->stages().size() - 1; }

  void add_station(std::size_t number);
  void set_pieces(StageState& station, std::size_t number);
  void set_work(StageState& station, std::size_t number);
  LocalTask task(std::size_t number, const StageState& station) const;
  std::int64_t room_for(const StageState& station, const NodeLayout& to) const;
  void connect(std::size_t number);
  std::span<std::byte> allocate(std::int64_t elements, bool real);
  NodeLayout layout(const Side& side) const { return side.spread->layout(node_->rank()); }

  Node* node_;
  const Blueprint* blueprint_;
  Way way_;
  std::vector<LocalArray> arrays_;
  std::vector<StageState> stations_;
};

}  // namespace toroid
