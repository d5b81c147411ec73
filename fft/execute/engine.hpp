// A plan on its node: the legs of both directions, and the call that is under way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fft/execute/local_array.hpp"
#include "fft/execute/local_work.hpp"
#include "fft/execute/pass.hpp"
#include "fft/execute/pipelined_exchange.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/base.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

class Plan::Engine {
 public:
  Engine(Node& node, std::shared_ptr<const Blueprint> blueprint);
  Engine(const Engine&) = delete;  // programs refer to it

  const Blueprint& blueprint() const { return *blueprint_; }
  const NodeLayout& input() const { return input_; }
  const NodeLayout& output() const { return output_; }
  std::span<const StageTimes> times() const { return times_; }
  std::span<const std::uint64_t> numbers_rolled() const { return numbers_rolled_; }
  std::size_t array_bytes() const;
  PerformAwaiter call(Way way, const ConstArray& in, const Array& out, Scale scale);

  // What the programs are made of.
  /// Whether others may be in an earlier call still, or send what this node would not know where
  /// to put.
  bool begin();
  void begin_time();
  std::vector<StageState>& stations() { return leg(way_).stations(); }
  StageTimes& time(std::size_t station) { return times_[station]; }
  /// None: there is none after the station.
  Exchange* exchange(std::size_t station) { return stations()[station].exchange.get(); }
  /// Transforms all that is there; the cycles that this takes on a model.
  Tick work(std::size_t station);
  void start_exchange(std::size_t station);

  /// None: the station computes by itself.
  OrbitalBase* orbital(std::size_t station);
  std::int64_t batch() const { return blueprint_->description().batch; }
  void put_orbital(std::size_t station, std::int64_t array);
  void get_orbital(std::size_t station, std::int64_t array);

  /// Pieces that the station sends; 0: all at once.
  std::uint32_t pieces(std::size_t station);
  /// Cycles of a slice between two looks at the network, of those that `piece` takes.
  Tick slice(std::size_t station, std::uint32_t piece, std::uint32_t look);
  std::uint32_t looks(std::size_t station, std::uint32_t piece);
  void work_piece(std::size_t station, std::uint32_t piece);
  void start_piece(std::size_t station, std::uint32_t piece);

  void end();
  Program part{};  ///< of the program, the one that it performs

 private:
  void check(Way way, const ConstArray& in, const Array& out) const;
  template <typename Side>
  void check_side(const Side& array, const NodeLayout& layout, bool real) const;
  bool takes_real(Way way) const {
    return way == Way::forward ? blueprint_->real_in() : blueprint_->real_out();
  }
  static Way other(Way way) { return way == Way::forward ? Way::backward : Way::forward; }
  /// Of what is taken that way, and given the other way.
  std::size_t bytes(Way way) const;
  Pass& leg(Way way);
  void keep_input();
  const std::byte* source(const StageState& station) const;
  std::byte* target(const StageState& station) const;
  LocalWork& work_of(StageState& station, std::uint32_t piece) const;
  std::byte* buffer(const StageState& station, std::uint32_t piece) const;
  void scale_result();

  Node* node_;
  std::shared_ptr<const Blueprint> blueprint_;
  NodeLayout input_;
  NodeLayout output_;
  std::array<std::optional<Pass>, 2> legs_;  ///< by Way
  bool called_ = false;

  Way way_ = Way::forward;
  const std::byte* in_ = nullptr;
  std::byte* out_ = nullptr;
  Scale scale_ = Scale::none;
  std::vector<StageTimes> times_;
  std::vector<std::uint64_t> numbers_rolled_;
  std::vector<Complex> kept_;  ///< the input, where its place is needed before it has been read
  Program program_;
};

}  // namespace toroid
