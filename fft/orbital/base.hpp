// The orbital transform: 3P steps of compute and ring shift, for any separable transform. It needs
// no transposition, and nodes only exchange data with nearest neighbours. OrbitalPlan says which
// node computes what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/orbital/plan.hpp"
#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// Times of a stage on one node, in ticks: when it began (its data was there), when it ended (its
/// sum was there), and how long the node computed and waited for blocks in between.
struct OrbitalTimes {
  Tick begin = 0;
  Tick end = 0;
  Tick computing = 0;
  Tick waiting = 0;
};

/// The planes [first, last) of a block along axis 0. They are contiguous in memory.
struct OrbitalSlice {
  int first;
  int last;
};

/// One node's part of the transform, for any type of elements.
///
/// There are four ring shifts: one each for X1, X2 and X3, and one for the coefficients between X0
/// and X1. The array that is the sum of one stage is the data of the next. Blocks that a step only
/// reads are sent while the step computes. A sum is cut into slices. The step adds to each slice as
/// soon as it has arrived, and sends it while the next slice is computed, so nodes wait only for
/// the first slices of a stage. In a single output queue, packets in different directions delay
/// each other, so nodes should have kOutputQueues queues.
///
/// **Memory:** a stage has one block of data and one of the sum. If they are shifted in packets,
/// each has one more block in which the next block arrives: 4b^3 numbers in all, as in the report,
/// because the next stage uses the same two pairs of blocks again. The coefficients' next block
/// arrives in memory that a stage does not use otherwise. If the nodes share memory, blocks stay
/// where they are and pointers are shifted instead (RingShift::Carrier): 2b^3 numbers.
///
/// Construct it before the node's first turn; it must live until the fabric has stopped. Only the
/// node's own thread calls it.
class OrbitalBase {
 public:
  static constexpr HandlerId kFirstHandler = kFirstUserHandler;
  static constexpr HandlerId kHandlers = 4 * RingShift::kHandlers;
  static constexpr unsigned kOutputQueues = 3;

  virtual ~OrbitalBase() = default;
  OrbitalBase(const OrbitalBase&) = delete;

  const OrbitalPlan& plan() const { return *plan_; }
  /// The times of the last run, stage by stage.
  std::span<const OrbitalTimes> times() const { return times_; }
  /// How many numbers this node sent in each step of the last run: those of two array blocks of b^3
  /// numbers, or, in the stage that shifts coefficients, of one array block and b^2 coefficients. 0
  /// if P is 1.
  std::span<const std::uint64_t> numbers_shifted() const { return numbers_shifted_; }

  /// How blocks are carried from node to node.
  RingShift::Carrier carrier() const { return shifts_.front().carrier(); }
  /// Bytes of this node's blocks, without the coefficients that stay at the node.
  std::size_t array_bytes() const;

  // The program below calls these.
  unsigned steps() const { return OrbitalPlan::kStages * plan_->extent(); }
  unsigned stage_of(unsigned step) const { return step / plan_->extent(); }
  bool begins_stage(unsigned step) const { return step % plan_->extent() == 0; }
  /// The shifts that end with a stage. For the last stage, they include the sum's shift.
  std::span<RingShift* const> ended_with(unsigned stage) const { return ended_[stage]; }
  /// Begins the shifts of the step's stage. REQUIRES: all blocks of the shifts that ended with the
  /// previous stage have arrived and left.
  void begin_stage(unsigned step);
  /// The shifts of blocks that a step only reads.
  std::span<RingShift* const> reads(unsigned step) const { return reads_[stage_of(step)]; }
  /// For use between two stages. If the axis of the previous stage (backward: of the next stage) is
  /// transformed by factors, computes the node's own part of that transform (factors.hpp) on the
  /// block that has come home. Returns the cycles that this takes. REQUIRES: the block has arrived
  /// and has not been sent again.
  Tick transform_block(unsigned next_stage);
  /// Notes the time at which `next_stage` begins and the stage before it ends.
  void pass_to(unsigned next_stage);
  /// Sends the blocks that the step only reads. REQUIRES: they have arrived.
  void begin_step(unsigned step);
  /// Number of slices of a step's sum.
  unsigned slices() const { return slices_; }
  /// The shift by which a slice of the sum must arrive before the step adds to it. Null if the sum
  /// begins in this step, or stays at its node.
  const RingShift* comes_by(unsigned step) const;
  /// Bytes from the beginning of the sum to the end of a slice.
  std::size_t bytes_to(unsigned slice) const;
  /// Computes a slice of the step's product. Returns the cycles that this takes on the machine.
  Tick multiply(unsigned step, unsigned slice);
  /// Whether blocks are under way, so that a computation should handle packets in between.
  bool is_under_way() const;
  /// Cycles for which a full packet keeps a link busy.
  Tick one_packet() const { return one_packet_; }
  /// Sends a slice of the sum.
  void send_slice(unsigned step, unsigned slice);
  /// Ends a step. REQUIRES: all slices are computed.
  void end_step(unsigned step);
  /// Ends a run. REQUIRES: all blocks have arrived and left.
  void end_run();
  OrbitalTimes& time_of(unsigned stage) { return times_[stage]; }
  /// The times of a step's stage.
  OrbitalTimes& time(unsigned step) { return time_of(stage_of(step)); }

 protected:
  /// Sizes of blocks.
  struct Bytes {
    std::size_t array;         ///< bytes of a block of X0, X1, X2 or X3
    std::size_t coefficients;  ///< bytes of a block of the shifted coefficients
  };
  OrbitalBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler, Bytes bytes);

  Node& node() const { return *node_; }
  /// This node's block of X`number`. Only the bytes that have arrived may be used. REQUIRES: its
  /// stage has begun.
  std::byte* array(unsigned number) const {
    std::byte* const block = number == 0 ? static_x0_ : shifts_[number - 1].block();
    TOROID_CHECK(block != nullptr);
    return block;
  }
  /// The input block of a run; the run overwrites it.
  std::byte* input_block() { return blocks_.front().as<std::byte>(); }
  /// The coefficients between X0 and X1: this node's own block, which must be set before a run, and
  /// the block of the current step.
  std::byte* own_coefficients() { return own_coefficients_.as<std::byte>(); }
  std::byte* shifted_coefficients() const { return shifts_[kCoefficients].block(); }

 private:
  static bool has_arrived(const RingShift& shift) {
    return shift.arrived().value() >= shift.arrived_with(shift.size());
  }
  /// Whether all blocks of the shifts that end with the stage have arrived and left.
  bool has_ended(unsigned stage) const;

  /// Sets a slice of X`sum` to the product of X`data` and the coefficients. If `add`, adds the
  /// product to the slice instead. Returns the number of real multiply-adds per plane.
  virtual std::uint64_t multiply_blocks(const OrbitalStage& stage, bool add,
                                        const OrbitalSlice& slice) = 0;

  /// Computes the node's own part of the transform between a pair of arrays, on the block that has
  /// come home; see factors.hpp. Returns the cycles.
  virtual Tick transform_lines(unsigned pair) = 0;

  /// The shift of the sum; null if the sum stays at its node.
  RingShift* sum(unsigned step) const { return sums_[stage_of(step)]; }
  OrbitalSlice planes(unsigned slice) const;
  static bool shares_memory(const Node& node);
  void make_blocks(Bytes bytes);
  void make_shift(unsigned number, HandlerId first_handler, Bytes bytes);
  void list_shifts();
  /// Memory of the data of `stage`, i.e. of the previous stage's sum: own() is for the current
  /// block, next() for the block that arrives next.
  std::span<std::byte> own(unsigned stage) { return blocks(stage, false); }
  std::span<std::byte> next(unsigned stage) { return blocks(stage, true); }
  std::span<std::byte> blocks(unsigned stage, bool arriving);
  void begin(unsigned number, unsigned stage);
  void bring_coefficients_home();

  /// The coefficients' place in shifts_, after X1, X2 and X3. X0 has no shift, because it stays at
  /// its node.
  static constexpr unsigned kCoefficients = 3;

  Node* node_;
  const OrbitalPlan* plan_;
  std::size_t block_bytes_;  ///< size of an array's block
  bool by_pointers_;
  unsigned slices_;
  std::vector<LocalArray> blocks_;  ///< two blocks, or two pairs of blocks
  LocalArray own_coefficients_;
  std::byte* static_x0_ = nullptr;
  std::deque<RingShift> shifts_;
  std::array<std::vector<RingShift*>, OrbitalPlan::kStages> reads_;
  std::array<std::vector<RingShift*>, OrbitalPlan::kStages> ended_;
  std::array<RingShift*, OrbitalPlan::kStages> sums_{};
  std::array<std::uint64_t, OrbitalPlan::kStages> numbers_{};  ///< sent per step of each stage
  Tick one_packet_;
  std::array<OrbitalTimes, OrbitalPlan::kStages> times_{};
  std::vector<std::uint64_t> numbers_shifted_;
};

/// The transforms that a node runs at the same time, one per array. Each has its own handlers.
using OrbitalLanes = std::span<OrbitalBase* const>;

/// The node program: runs all lanes once, step by step in turn. While one lane computes, the blocks
/// of the others travel. The list of lanes must live until the program has ended.
Program orbital_transforms(Node& node, OrbitalLanes lanes);
/// The node program for a single transform.
Program orbital_transform(Node& node, OrbitalBase& transform);

}  // namespace toroid::fft
