// Plan: a distributed transform on one node, made once, used any number of times. Conventions are
// in fft/description.hpp.
//
//   Plan plan(node, {.size = {128, 128, 128}});      // before the program's first await
//   std::vector<std::complex<double>> in(plan.input_size()), out(plan.output_size());
//   co_await plan.forward(in, out);                  // in the node's program, on every node
//   co_await plan.backward(out, in, Scale::by_n);
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

namespace toroid {

template <typename T>
concept Element = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// A node's local array, of whatever elements. It begins at a multiple of 16 bytes, as what `new`
/// gives does.
template <typename Byte>
struct BasicArray {
  Byte* data = nullptr;
  std::size_t size = 0;  ///< elements
  bool real = false;
  Precision precision = Precision::double_;

  BasicArray() = default;
  template <typename Range>
  requires Element<std::remove_cvref_t<decltype(*std::data(std::declval<Range&>()))>> BasicArray(
      Range&& range)  // NOLINT: an array is one in any dress
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

/// When a node went through a stage of one call, in ticks.
struct StageTimes {
  Tick begin = 0;      ///< its exchange began
  Tick exchanged = 0;  ///< everything had come
  Tick computed = 0;   ///< everything was transformed
  Tick computing = 0;  ///< of the time until then, transforms
  Tick waiting = 0;    ///< of it, for pieces to leave or to be complete
};

/// Lives until the fabric has stopped: its handlers are the node's.
class Plan {
 public:
  /// Throws BadInput where the array does not fit the machine or the method. All nodes make their
  /// plans in the same order.
  Plan(Node& node, const Description& description);
  /// The same from a blueprint that the nodes share, as they should where they are many: a
  /// blueprint looks at all of them.
  Plan(Node& node, std::shared_ptr<const Blueprint> blueprint);
  Plan(Plan&&) noexcept;
  ~Plan();

  const Blueprint& blueprint() const;
  /// What this node holds of what forward takes, and of what it gives.
  const NodeLayout& input_layout() const;
  const NodeLayout& output_layout() const;
  std::size_t input_size() const { return static_cast<std::size_t>(input_layout().extent()); }
  std::size_t output_size() const { return static_cast<std::size_t>(output_layout().extent()); }

  /// To be awaited. The arrays are as long as the layouts' extents at least, and live until then;
  /// they may begin at the same place, else `in` stays as it is. One call at a time.
  PerformAwaiter forward(ConstArray in, Array out, Scale scale = Scale::none);
  /// From what forward gives to what it takes.
  PerformAwaiter backward(ConstArray in, Array out, Scale scale = Scale::none);

  /// Of the last call, stage by stage in its order.
  std::span<const StageTimes> times() const;
  /// Of the orbital method, in the last call: numbers that this node has sent in each step of
  /// compute and roll, of one array after the other.
  std::span<const std::uint64_t> numbers_shifted() const;

  /// Bytes of all arrays that it has made so far; the caller's are not among them.
  std::size_t array_bytes() const;

  class Engine;  ///< what it is made of; fft/engine.hpp

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace toroid
