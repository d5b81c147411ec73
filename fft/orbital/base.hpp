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

/// When a node began and ended a stage, in ticks.
struct OrbitalTimes {
  Tick begin = 0;
  Tick end = 0;
};

/// One node's part of the transform, for any type of elements.
///
/// Four ring shifts are at work: of X1, X2 and X3, each of which is the sum of one stage and the
/// data of the next, and of the coefficients between X0 and X1. What a step only reads is sent
/// while the step computes; a sum is sent when the step has added to it. Packets in different
/// directions delay each other in a single output queue: nodes should have two.
///
/// Construct it before the node's first turn; it must live until the fabric has stopped. The node's
/// own thread calls it.
class OrbitalBase {
 public:
  static constexpr HandlerId kFirstHandler = kFirstUserHandler;
  static constexpr HandlerId kHandlers = 4 * RingShift::kHandlers;

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
  /// Starts the shifts of what the step only reads.
  void begin_step(unsigned repetition, unsigned step);
  /// Computes the step's product and returns the cycles that this takes on the machine.
  Tick multiply(unsigned step);
  /// The cycles, at most `left`, that the processor should compute before it handles its packets.
  Tick until_next_look(unsigned step, Tick left) const;
  /// Starts the shift of the sum.
  void send_sum(unsigned step);
  /// The number of shifts in a step, and each of them.
  std::size_t shifts(unsigned step) const { return shifted_numbers(step).size(); }
  const RingShift& shift(unsigned step, std::size_t number) const {
    return shifts_[shifted_numbers(step)[number]];
  }
  /// REQUIRES: all shifts of this step are done.
  void end_step(unsigned repetition, unsigned step);

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
  /// Sets X`sum` to the product of X`data` and the coefficients, or adds the product to it. Returns
  /// the real multiply-adds that this takes.
  virtual std::uint64_t multiply_blocks(const OrbitalStage& stage, bool add) = 0;

  unsigned stage_of(unsigned step) const { return step / plan_->extent(); }
  /// The shifts of a step: first those of what it only reads, then the sum's, if it is shifted.
  std::span<const unsigned> shifted_numbers(unsigned step) const {
    return shifted_[stage_of(step)];
  }
  /// The shifts of what the step only reads.
  std::span<const unsigned> unchanged(unsigned step) const;
  void make_buffers(Bytes bytes);
  void make_shift(unsigned number, HandlerId first_handler, Bytes bytes);
  void list_shifted();
  unsigned place(unsigned number) const { return number == 0 ? 0 : shifts_[number - 1].current(); }
  OrbitalTimes& time(unsigned repetition, unsigned step);
  std::uint64_t numbers(unsigned shift) const;

  /// The order in buffers_ is X0 to X3, then the coefficients. The order in shifts_ is the same
  /// without X0, which stays at its node.
  static constexpr unsigned kCoefficients = 4;

  Node* node_;
  const OrbitalPlan* plan_;
  std::array<std::vector<LocalArray>, 5> buffers_;  ///< one or two of each
  std::deque<RingShift> shifts_;
  std::array<std::vector<unsigned>, OrbitalPlan::kStages> shifted_;  ///< in shifts_
  std::array<bool, OrbitalPlan::kStages> sum_is_shifted_{};
  Tick two_packets_;  ///< cycles for which two full packets keep a link busy
  std::vector<OrbitalTimes> times_;
  std::vector<std::uint64_t> numbers_shifted_;
};

/// The node program: all repetitions.
Program orbital_transform(Node& node, OrbitalBase& transform);

}  // namespace toroid::fft
