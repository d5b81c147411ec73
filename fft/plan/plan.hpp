// Plan: a distributed transform on one node. It is made once and used any number of times. The
// conventions are in fft/plan/description.hpp.
//
//   fft::Plan plan(node, {.size = {128, 128, 128}});  // before the program's first await
//   std::vector<std::complex<double>> in(plan.input_size()), out(plan.output_size());
//   co_await plan.forward(in, out);                   // in the node's program, on every node
//   co_await plan.backward(out, in, fft::Scale::by_n);
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {

struct OrbitalTimes;  // fft/orbital/base.hpp

template <typename T>
concept Element = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// A reference to a node's local array, for any element type. The array must begin at a multiple of
/// 16 bytes, as memory from `new` does.
template <typename Byte>
struct BasicArray {
  Byte* data = nullptr;
  std::size_t size = 0;  ///< number of elements
  bool real = false;
  Precision precision = Precision::double_;

  BasicArray() = default;
  BasicArray(Byte* first, std::size_t elements, bool is_real, Precision of)
      : data(first), size(elements), real(is_real), precision(of) {}
  /// A writable array converts to a readable one.
  template <typename Other>
  requires std::same_as<Byte, const Other> BasicArray(const BasicArray<Other>& other)  // NOLINT
      : BasicArray(other.data, other.size, other.real, other.precision) {}
  template <typename Range>
  requires Element<std::remove_cvref_t<decltype(*std::data(std::declval<Range&>()))>> BasicArray(
      Range&& range)  // NOLINT: any array converts
      : data(reinterpret_cast<Byte*>(std::data(range))), size(std::size(range)) {
    using T = std::remove_cvref_t<decltype(*std::data(range))>;
    real = std::is_floating_point_v<T>;
    precision = std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>
                    ? Precision::single
                    : Precision::double_;
  }
};
using ConstArray = BasicArray<const std::byte>;
using Array = BasicArray<std::byte>;

/// Times of a stage on one node in one call, in ticks.
struct StageTimes {
  Tick begin = 0;      ///< when the exchange before this stage began
  Tick exchanged = 0;  ///< when everything had arrived
  Tick computed = 0;   ///< when everything was transformed
  Tick computing = 0;  ///< duration of the transforms until `computed`
  Tick waiting = 0;    ///< duration of waits until `computed`, for pieces to leave or to complete
  // Time spent on packets from the end of the previous stage until `computed`, also during waits. 0
  // unless Description::times_packets is set.
  Tick packing = 0;    ///< time for sending, and for copying what a node sends to itself
  Tick unpacking = 0;  ///< time for receiving; for puts, for the copy from array to array
  /// The part of packing and unpacking that falls into the transforms of a stage with Start::lines,
  /// not into waits.
  Tick overlapped = 0;
};

/// A transform on one node. Packets of other nodes may still come for it after the program's last
/// call: when it is destroyed, its node keeps its arrays and handlers. Only the node's own thread
/// may call it.
class Plan {
 public:
  /// Throws BadInput if a field of the description has an impossible value, or if the array does
  /// not fit the machine or the method. All nodes must make their plans in the same order, before
  /// their programs' first await, from equal descriptions. Throws RunFailed, which names the
  /// difference, if this node's description differs from that of another node of the same Runner.
  Plan(Node& node, const Description& description);
  /// Makes the plan from a blueprint that the nodes share. Making a blueprint takes time
  /// proportional to the number of nodes, so nodes should share one. Throws BadInput too if the
  /// blueprint is null or for another machine.
  Plan(Node& node, std::shared_ptr<const Blueprint> blueprint);
  Plan(Plan&&) noexcept;
  ~Plan();

  const Blueprint& blueprint() const;
  /// This node's part of forward's input and of its output.
  const NodeLayout& input_layout() const;
  const NodeLayout& output_layout() const;
  /// Number of elements of this node's local array, for forward's input and for its output.
  std::size_t input_size() const { return static_cast<std::size_t>(input_layout().extent()); }
  std::size_t output_size() const { return static_cast<std::size_t>(output_layout().extent()); }

  /// Transforms forward. Every node's program must await it, one call at a time. `in` needs at
  /// least input_size() elements and `out` output_size(). Both must live until the call has ended.
  /// They may begin at the same place; otherwise `in` is not changed. Throws BadInput if an array
  /// is too short or has the wrong element type.
  PerformAwaiter forward(ConstArray in, Array out, Scale scale = Scale::none);
  /// Transforms backward, from forward's output to forward's input.
  PerformAwaiter backward(ConstArray in, Array out, Scale scale = Scale::none);

  /// The times of the last call, one entry per stage, in the order of the call.
  std::span<const StageTimes> times() const;
  /// For the orbital method: how many numbers this node sent in each step of the last call, for one
  /// array.
  std::span<const std::uint64_t> numbers_shifted() const;
  /// For the orbital method: this node's times of the last call for one array, stage by stage.
  std::span<const OrbitalTimes> orbital_times() const;

  /// Bytes of all arrays that the plan has allocated so far.
  std::size_t array_bytes() const;

  class Engine;  ///< the implementation; see fft/execute/engine.hpp

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace toroid::fft
