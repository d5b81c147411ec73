// The orbital transform: 3P steps of compute and roll, for any separable transform, without a
// transposition and without any exchange but with nearest neighbours. See OrbitalPlan for who
// computes what.
//
// Four things roll, each in a ring of its own: X1, X2 and X3, each first as a sum and then as the
// next stage's data (or the other way round, inverse), and the coefficients between X0 and X1. What
// a step only reads is sent while the step computes; a sum is sent when the step has added to it.
// Different directions get in each other's way in a single output queue: nodes should have two.
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

namespace toroid {

/// When a node went through a stage, in cycles.
struct OrbitalTimes {
  Tick begin = 0;
  Tick end = 0;
};

/// One node's part, whatever its elements are. Construct before the node's first turn; it must live
/// until the fabric has stopped.
class OrbitalBase {
 public:
  static constexpr HandlerId kFirstHandler = kFirstUserHandler;
  static constexpr HandlerId kHandlers = 4 * RingShift::kHandlers;

  virtual ~OrbitalBase() = default;
  OrbitalBase(const OrbitalBase&) = delete;

  const OrbitalPlan& plan() const { return *plan_; }
  /// Of one repetition, stage by stage.
  std::span<const OrbitalTimes> times(unsigned repetition = 0) const;
  /// Steps of compute and roll, of all repetitions.
  std::uint64_t steps_done() const { return numbers_shifted_.size(); }
  /// Numbers that this node has sent on, step by step: b^3 + b^2 where coefficients roll, else
  /// 2b^3; none where P is 1.
  std::span<const std::uint64_t> numbers_shifted() const { return numbers_shifted_; }

  /// Of this node's blocks, those that roll twice over.
  std::size_t array_bytes() const;

  void forget_numbers_shifted() { numbers_shifted_.clear(); }

  // What the program below is made of.
  unsigned repetitions() const { return plan_->options().repeat; }
  unsigned steps() const { return OrbitalPlan::kStages * plan_->extent(); }
  /// Sends what the step only reads.
  void begin_step(unsigned repetition, unsigned step);
  /// Computes; the cycles that this takes on the machine.
  Tick multiply(unsigned step);
  /// How long the processor may go on before it should look at its packets, of `left` cycles.
  Tick until_next_look(unsigned step, Tick left) const;
  /// Sends the sum.
  void send_sum(unsigned step);
  /// Things that roll in a step.
  std::size_t shifts(unsigned step) const { return shifted_numbers(step).size(); }
  const RingShift& shift(unsigned step, std::size_t number) const {
    return shifts_[shifted_numbers(step)[number]];
  }
  /// REQUIRES: everything that rolls in this step has gone and come.
  void end_step(unsigned repetition, unsigned step);

 protected:
  struct Bytes {
    std::size_t array;         ///< of a block of X
    std::size_t coefficients;  ///< of a block of the coefficients that roll
  };
  OrbitalBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler, Bytes bytes);

  Node& node() const { return *node_; }
  /// This node's block of X`number` as it stands now: X1 to X3 change places with every step.
  LocalArray& array(unsigned number) { return buffers_[number][place(number)]; }
  /// The coefficients between X0 and X1 that are here now.
  LocalArray& shifted_coefficients() { return buffers_[kCoefficients][place(kCoefficients)]; }

 private:
  /// X`sum` from X`data`, afresh or added; the real multiply-adds that this took.
  virtual std::uint64_t multiply_blocks(const OrbitalStage& stage, bool add) = 0;

  unsigned stage_of(unsigned step) const { return step / plan_->extent(); }
  /// What rolls in a step: first what it only reads, then the sum, if that rolls.
  std::span<const unsigned> shifted_numbers(unsigned step) const {
    return shifted_[stage_of(step)];
  }
  std::span<const unsigned> unchanged(unsigned step) const;
  void make_buffers(Bytes bytes);
  void make_shift(unsigned number, HandlerId first_handler, Bytes bytes);
  void list_shifted();
  unsigned place(unsigned number) const { return number == 0 ? 0 : shifts_[number - 1].current(); }
  OrbitalTimes& time(unsigned repetition, unsigned step);
  std::uint64_t numbers(unsigned shift) const;

  /// In buffers_: X0 to X3, then the coefficients; shifts_ has no X0, which stays.
  static constexpr unsigned kCoefficients = 4;

  Node* node_;
  const OrbitalPlan* plan_;
  std::array<std::vector<LocalArray>, 5> buffers_;
  std::deque<RingShift> shifts_;
  std::array<std::vector<unsigned>, OrbitalPlan::kStages> shifted_;  ///< in shifts_
  std::array<bool, OrbitalPlan::kStages> sum_is_shifted_{};
  Tick two_packets_;  ///< cycles that they keep a link busy
  std::vector<OrbitalTimes> times_;
  std::vector<std::uint64_t> numbers_shifted_;
};

/// The node program.
Program orbital_transform(Node& node, OrbitalBase& transform);

}  // namespace toroid
