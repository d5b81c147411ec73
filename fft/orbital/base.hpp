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

#include "fft/execute/local_array.hpp"
#include "fft/orbital/plan.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// When a node began and ended a stage, and for how long it computed and waited for blocks
/// meanwhile, in ticks.
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
  /// The times of one repetition, stage by stage.
  std::span<const OrbitalTimes> times(unsigned repetition = 0) const;
  /// Steps of compute and ring shift in all repetitions since the numbers were forgotten.
  std::uint64_t steps_done() const { return numbers_shifted_.size(); }
  /// How many numbers this node has sent, step by step: two blocks of the array, b^3 each, or
  /// in the stage that shifts coefficients one of them and b^2; 0 if P is 1.
  std::span<const std::uint64_t> numbers_shifted() const { return numbers_shifted_; }

  /// Bytes of this node's blocks. Those that are shifted have two buffers each, unless P is 1.
  std::size_t array_bytes() const;

  void forget_numbers_shifted() { numbers_shifted_.clear(); }

  // The program below calls these.
  unsigned repetitions() const { return plan_->options().repeat; }
  unsigned steps() const { return OrbitalPlan::kStages * plan_->extent(); }
  /// The shifts of what a step reads only.
  std::span<RingShift* const> reads(unsigned step) const { return reads_[stage_of(step)]; }
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
  /// The cycles, at most `left`, that the processor should compute before it handles its packets.
  Tick until_next_look(unsigned step, Tick left) const;
  /// Sends the slice.
  void send_slice(unsigned step, unsigned slice);
  /// REQUIRES: all slices are computed.
  void end_step(unsigned step);
  /// All shifts.
  std::deque<RingShift>& shifts() { return shifts_; }
  /// The times of a step's stage, which begins with its first step.
  OrbitalTimes& time(unsigned repetition, unsigned step);

 protected:
  /// Sizes of blocks.
  struct Bytes {
    std::size_t array;         ///< a block of X0 to X3
    std::size_t coefficients;  ///< a block of the coefficients that are shifted
  };
  OrbitalBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler, Bytes bytes);

  Node& node() const { return *node_; }
  /// The buffer with this node's block of X`number`. X1 to X3 change buffers with every step.
  LocalArray& array(unsigned number) { return buffers_[number][place(number)]; }
  /// The buffer with the coefficients between X0 and X1.
  LocalArray& shifted_coefficients() { return buffers_[kCoefficients][place(kCoefficients)]; }

 private:
  /// Sets a slice of X`sum` to the product of X`data` and the coefficients, or adds the product to
  /// it. Returns the real multiply-adds that a plane takes.
  virtual std::uint64_t multiply_blocks(const OrbitalStage& stage, bool add,
                                        const OrbitalSlice& slice) = 0;

  unsigned stage_of(unsigned step) const { return step / plan_->extent(); }
  /// The sum's shift; null: it stays at its node.
  RingShift* sum(unsigned step) const { return sums_[stage_of(step)]; }
  OrbitalSlice planes(unsigned slice) const;
  void make_buffers(Bytes bytes);
  void make_shift(unsigned number, HandlerId first_handler, Bytes bytes);
  void list_shifts();
  unsigned place(unsigned number) const { return number == 0 ? 0 : shifts_[number - 1].current(); }

  /// The order in buffers_ is X0 to X3, then the coefficients. The order in shifts_ is the same
  /// without X0, which stays at its node.
  static constexpr unsigned kCoefficients = 4;

  Node* node_;
  const OrbitalPlan* plan_;
  std::size_t block_bytes_;  ///< of a block of an array
  unsigned slices_;
  std::array<std::vector<LocalArray>, 5> buffers_;  ///< one or two of each
  std::deque<RingShift> shifts_;
  std::array<std::vector<RingShift*>, OrbitalPlan::kStages> reads_;
  std::array<RingShift*, OrbitalPlan::kStages> sums_{};
  std::array<std::uint64_t, OrbitalPlan::kStages> numbers_{};  ///< sent in a step
  Tick one_packet_;  ///< cycles for which a full packet keeps a link busy
  std::vector<OrbitalTimes> times_;
  std::vector<std::uint64_t> numbers_shifted_;
};

/// The node program: all repetitions.
Program orbital_transform(Node& node, OrbitalBase& transform);

}  // namespace toroid::fft
