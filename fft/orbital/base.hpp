// The orbital transform: 3P steps of compute and ring shift, for any separable transform. It needs
// no transposition, and nodes only exchange with nearest neighbours. OrbitalPlan says which node
// computes what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/orbital/plan.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// When a node began a stage, having the data, and ended it, having the sum; and for how long it
/// computed and waited for blocks meanwhile, in ticks.
struct OrbitalTimes {
  Tick begin = 0;
  Tick end = 0;
  Tick computing = 0;
  Tick waiting = 0;
};

/// Planes of a block, from `first` to below `last` along axis 0, which are contiguous.
struct OrbitalSlice {
  int first;
  int last;
};

/// One node's part of the transform, for any type of elements.
///
/// Four ring shifts are at work: of X1, X2 and X3, each of which is the sum of one stage and the
/// data of the next, and of the coefficients between X0 and X1. What a step only reads is sent
/// while the step computes. A sum is cut into slices: each is added to as soon as it has arrived,
/// and sent while the next one is computed, so that nodes wait for the first slices of a stage
/// only. Packets in different directions delay each other in a single output queue: nodes should
/// have kOutputQueues.
///
/// **Memory:** a stage has a block of data and one of the sum, and for each, where it is shifted in
/// packets, one more that the next block arrives in: 4b^3 numbers, which are the next stage's two
/// and two again, as the report counts. The coefficients' next block arrives where a stage has no
/// other use for that memory. Where the nodes share memory, a block stays where it is and a pointer
/// goes round instead (RingShift::Carrier): 2b^3.
///
/// Construct it before the node's first turn; it must live until the fabric has stopped. The node's
/// own thread calls it.
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
  /// How many numbers this node has sent in the last run, step by step: two blocks of the array,
  /// b^3 each, or in the stage that shifts coefficients one of them and b^2; 0 if P is 1.
  std::span<const std::uint64_t> numbers_shifted() const { return numbers_shifted_; }

  /// What carries blocks from node to node.
  RingShift::Carrier carrier() const { return shifts_.front().carrier(); }
  /// Bytes of this node's blocks, but for the coefficients that stay.
  std::size_t array_bytes() const;

  // The program below calls these.
  unsigned steps() const { return OrbitalPlan::kStages * plan_->extent(); }
  unsigned stage_of(unsigned step) const { return step / plan_->extent(); }
  bool begins_stage(unsigned step) const { return step % plan_->extent() == 0; }
  /// The shifts that have ended with a stage; behind the last one the sum's, too.
  std::span<RingShift* const> ended_with(unsigned stage) const { return ended_[stage]; }
  /// Begins the shifts of the step's stage. REQUIRES: all blocks of those that have ended with the
  /// stage before have arrived and left.
  void begin_stage(unsigned step);
  /// The shifts of what a step reads only.
  std::span<RingShift* const> reads(unsigned step) const { return reads_[stage_of(step)]; }
  /// Between two stages, where an axis is transformed by factors: computes the node's own part of
  /// the one before, or backward of the one to come, on the array that is at home then, and returns
  /// the cycles that this takes. REQUIRES: that array has arrived and is not on its way again.
  Tick transform_block(unsigned next_stage);
  /// The stage before ends here, and the next one begins.
  void pass_to(unsigned next_stage);
  /// Sends what the step reads only. REQUIRES: it has arrived.
  void begin_step(unsigned step);
  /// Slices of a step's sum.
  unsigned slices() const { return slices_; }
  /// The shift that a slice of the sum has to arrive by before the step adds to it; null: the sum
  /// begins in this step, or stays at its node.
  const RingShift* comes_by(unsigned step) const;
  /// Bytes of the sum from its beginning to the end of a slice.
  std::size_t bytes_to(unsigned slice) const;
  /// Computes a slice of the step's product and returns the cycles that this takes on the machine.
  Tick multiply(unsigned step, unsigned slice);
  /// Whether blocks are on their way: a computation should look at the packets.
  bool is_under_way() const;
  /// Cycles for which a full packet keeps a link busy.
  Tick one_packet() const { return one_packet_; }
  /// Sends the slice.
  void send_slice(unsigned step, unsigned slice);
  /// REQUIRES: all slices are computed.
  void end_step(unsigned step);
  /// REQUIRES: all blocks have arrived and left.
  void end_run();
  OrbitalTimes& time_of(unsigned stage) { return times_[stage]; }
  /// The times of a step's stage.
  OrbitalTimes& time(unsigned step) { return time_of(stage_of(step)); }

 protected:
  /// Sizes of blocks.
  struct Bytes {
    std::size_t array;         ///< a block of X0 to X3
    std::size_t coefficients;  ///< a block of the coefficients that are shifted
  };
  OrbitalBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler, Bytes bytes);

  Node& node() const { return *node_; }
  /// This node's block of X`number`. REQUIRES: its stage has begun, and it has arrived.
  std::byte* array(unsigned number) const {
    return number == 0 ? static_x0_ : shifts_[number - 1].block();
  }
  /// Where a run finds its input, and uses it up.
  std::byte* input_block() { return blocks_.front().as<std::byte>(); }
  /// The coefficients between X0 and X1: the node's own before a run, else those of the step.
  std::byte* own_coefficients() { return own_coefficients_.as<std::byte>(); }
  std::byte* shifted_coefficients() const { return shifts_[kCoefficients].block(); }

 private:
  /// Sets a slice of X`sum` to the product of X`data` and the coefficients, or adds the product to
  /// it. Returns the real multiply-adds that a plane takes.
  virtual std::uint64_t multiply_blocks(const OrbitalStage& stage, bool add,
                                        const OrbitalSlice& slice) = 0;

  /// Transforms this node's block of an array at home; see factors.hpp. Returns its cycles.
  virtual Tick transform_lines(unsigned pair) = 0;

  /// The sum's shift; null: it stays at its node.
  RingShift* sum(unsigned step) const { return sums_[stage_of(step)]; }
  OrbitalSlice planes(unsigned slice) const;
  static bool shares_memory(const Node& node);
  void make_blocks(Bytes bytes);
  void make_shift(unsigned number, HandlerId first_handler, Bytes bytes);
  void list_shifts();
  /// Memory of a block, and of the one that arrives next: of a stage's data, which is the sum of
  /// the stage before, of its sum.
  std::span<std::byte> own(unsigned stage) { return blocks(stage, false); }
  std::span<std::byte> next(unsigned stage) { return blocks(stage, true); }
  std::span<std::byte> blocks(unsigned stage, bool arriving);
  void begin(unsigned number, unsigned stage);
  void bring_coefficients_home();

  /// The order in shifts_ is X1 to X3, then the coefficients. X0 stays at its node.
  static constexpr unsigned kCoefficients = 3;

  Node* node_;
  const OrbitalPlan* plan_;
  std::size_t block_bytes_;  ///< of a block of an array
  bool by_pointers_;
  unsigned slices_;
  std::vector<LocalArray> blocks_;  ///< two, or two pairs
  LocalArray own_coefficients_;
  std::byte* static_x0_ = nullptr;
  std::deque<RingShift> shifts_;
  std::array<std::vector<RingShift*>, OrbitalPlan::kStages> reads_;
  std::array<std::vector<RingShift*>, OrbitalPlan::kStages> ended_;
  std::array<RingShift*, OrbitalPlan::kStages> sums_{};
  std::array<std::uint64_t, OrbitalPlan::kStages> numbers_{};  ///< sent in a step
  Tick one_packet_;
  std::array<OrbitalTimes, OrbitalPlan::kStages> times_{};
  std::vector<std::uint64_t> numbers_shifted_;
};

/// A node's transforms that run at the same time, each with handlers of its own: of several arrays,
/// or several of one array.
using OrbitalLanes = std::span<OrbitalBase* const>;

/// The node program: one run of all of them, step by step in turn. While one waits for a block, the
/// others compute. The list must live until the program has ended.
Program orbital_transforms(Node& node, OrbitalLanes lanes);
/// The same of one alone.
Program orbital_transform(Node& node, OrbitalBase& transform);

}  // namespace toroid::fft
