// Alternatives to the orbital transform: the same three stages of products, but blocks are
// broadcast instead of shifted. The report compares the orbital transform with both.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/orbital/base.hpp"
#include "fft/orbital/plan.hpp"
#include "fft/orbital/product.hpp"
#include "fft/plan/description.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/ring_broadcast.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// One node's part of a transform by broadcasts, for any type of elements.
///
/// Every array is in the canonical layout, and a stage's sum stays at its node. Along axis a, whose
/// dimension has the places 0 to P-1, the node at place k needs every block s of its line,
/// multiplied by the coefficients C(s,k). C(s,k) is kept by the node whose place in the next
/// dimension, (a + 1) mod 3, is s.
///
///   OrbitalVariant::bbc   step t: block t is broadcast along the line, C(t,k) along the next
///                         dimension. Known as SUMMA.
///   OrbitalVariant::bcr   step t: a node at place s of the next dimension gets block s+t of its
///                         line by broadcast, and has C(s+t,k), which are shifted down that
///                         dimension. Known as Fox's algorithm.
///
/// **Memory:** one block of data, one of the sum, and two that broadcasts arrive in: 4b^3 numbers,
/// as for the orbital transform.
///
/// Source: Sedukhin, University of Aizu 2012-001, section 3.1. Construct it before the node's first
/// turn; it must live until the fabric has stopped. Only the node's own thread calls it.
class BroadcastBase {
 public:
  static constexpr unsigned kStages = OrbitalPlan::kStages;
  static constexpr HandlerId kHandlers = 4 * kStages;

  virtual ~BroadcastBase() = default;
  BroadcastBase(const BroadcastBase&) = delete;

  const OrbitalPlan& plan() const { return *plan_; }
  std::span<const OrbitalTimes> times() const { return times_; }
  /// How many numbers this node sent in each step of the last run.
  std::span<const std::uint64_t> numbers_shifted() const { return numbers_shifted_; }
  std::size_t array_bytes() const;

  // The program below calls these.
  /// A counter and the value that it must reach before a program continues.
  struct Need {
    const Counter* counter;
    std::uint64_t value;
  };
  void begin_stage(unsigned stage);
  /// The arrivals that a step's product waits for.
  std::array<Need, 2> blocks_of_step(unsigned stage) const;
  /// REQUIRES: the step's blocks have arrived.
  void begin_step(unsigned stage);
  /// Computes a step's product. Returns the cycles that this takes on the machine.
  Tick multiply(unsigned stage, unsigned step);
  /// The cycles, at most `left`, that the processor should compute before it handles its packets.
  Tick until_next_look(unsigned stage, Tick left) const;
  void end_step(unsigned stage, unsigned step);
  /// The counters that the end of a stage waits for.
  std::vector<Need> leftovers(unsigned stage) const;
  void end_stage(unsigned stage);
  OrbitalTimes& time(unsigned stage) { return times_[stage]; }

 protected:
  /// Bytes of a block of the array, and of a block of each stage's coefficients.
  struct Bytes {
    std::size_t array;
    std::array<std::size_t, kStages> coefficients;
  };
  BroadcastBase(Node& node, const OrbitalPlan& plan, HandlerId first_handler, const Bytes& bytes);

  Node& node() const { return *node_; }
  std::byte* input_block() { return blocks_[0].as<std::byte>(); }
  const std::byte* output_block() { return blocks_[kStages % 2].as<std::byte>(); }
  std::byte* own_coefficients(unsigned stage) { return coefficients_[stage].as<std::byte>(); }
  /// Places of two blocks along the axis of a stage. The node's own coefficients of the stage lead
  /// from the first block to the second.
  std::array<unsigned, 2> own_places(unsigned stage) const;

 private:
  /// Sets the sum to the product of data and coefficients. If `add`, adds the product to the sum
  /// instead. Returns the number of real multiply-adds.
  virtual std::uint64_t multiply_blocks(unsigned stage, bool add, const std::byte* coefficients,
                                        const std::byte* data, std::byte* sum) = 0;

  bool rolls() const { return plan_->options().variant == OrbitalVariant::bcr; }
  unsigned axis(unsigned stage) const { return plan_->stage(stage).axis; }
  unsigned next_axis(unsigned stage) const { return (axis(stage) + 1) % 3; }
  RingBroadcast::Ring ring(unsigned dimension, unsigned first) const;
  const std::byte* coefficients(unsigned stage) const;
  std::uint64_t numbers_sent(unsigned stage) const;

  Node* node_;
  const OrbitalPlan* plan_;
  Tick one_packet_;                       ///< cycles for which a full packet keeps a link busy
  std::vector<LocalArray> blocks_;        ///< data, sum, and two for arriving data
  std::vector<LocalArray> coefficients_;  ///< the node's own coefficients of each stage
  std::vector<LocalArray> others_coefficients_;       ///< two for arriving coefficients
  std::deque<RingBroadcast> data_;                    ///< one per stage
  std::deque<RingBroadcast> broadcast_coefficients_;  ///< in bbc, one per stage
  std::deque<RingShift> rolled_coefficients_;         ///< in bcr, one per stage
  std::array<OrbitalTimes, kStages> times_{};
  std::vector<std::uint64_t> numbers_shifted_;
};

/// The node program for one transform.
Program broadcast_transform(Node& node, BroadcastBase& transform);

/// One node's part with its coefficients. T is one of the types of OrbitalTransform.
template <typename T>
class BroadcastTransform final : public BroadcastBase {
 public:
  BroadcastTransform(Node& node, const OrbitalPlan& plan, HandlerId first_handler);

  /// This node's block of the array, in C order. The caller sets it before a run, which overwrites
  /// it.
  std::span<T> input() { return {reinterpret_cast<T*>(input_block()), plan().block_elements()}; }
  /// After a run: this node's block of the unscaled result.
  std::span<const T> output() {
    return {reinterpret_cast<const T*>(output_block()), plan().block_elements()};
  }

 private:
  std::uint64_t multiply_blocks(unsigned stage, bool add, const std::byte* coefficients,
                                const std::byte* data, std::byte* sum) override;

  std::vector<OrbitalProduct<T>> products_;  ///< one per stage
};

extern template class BroadcastTransform<float>;
extern template class BroadcastTransform<double>;
extern template class BroadcastTransform<std::complex<float>>;
extern template class BroadcastTransform<std::complex<double>>;

}  // namespace toroid::fft
