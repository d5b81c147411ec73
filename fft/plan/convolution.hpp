// Convolution: an array's spectrum times a function of the wave vector, and back again: a filter, a
// derivative, a shift, the solution of a Poisson equation. On one node; nothing but the two
// transforms communicates.
//
//   Convolution poisson(node, {.size = {64, 64, 64}, .real = true});  // before the first await
//   std::vector<double> field(poisson.size());
//   co_await poisson.apply(field, field, green);                      // on every node
//
//   double green(const WaveVector& k) {                               // of a cube of side 2π
//     const double square = static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
//     return square == 0 ? 0 : 1 / square;
//   }
//
// The spectrum stays where forward leaves it, in whatever layout: it is never put in order, since
// an element's place says which wave vector it belongs to. So leave out return_to_input and
// out_boxes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "fft/execute/local_array.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

/// Frequencies of an element of a spectrum, axis by axis: periods along the whole axis, with the
/// sign of the k in exp(+2πi·kn/N) of the wave that it belongs to. An axis of n points has 0, 1,
/// ..., n/2, -(n-1)/2, ..., -1 in this order; for n even its n/2 is -n/2 as well. Axes that the
/// array does not have: 0.
using WaveVector = std::array<std::int64_t, kMaxAxes>;

/// Of the element `at` of what forward gives: the half spectrum of real data, which has 0, 1, ...,
/// n/2 of the last axis; behind a box cut what is left of the large spectrum, whose -n/2 is no n/2.
WaveVector wave_vector(const Description& description, const Index& at);

class Convolution {
 public:
  /// Throws BadInput as Plan does, and where the transform is another than the DFT.
  Convolution(Node& node, const Description& description);
  /// The same from a blueprint that the nodes share.
  Convolution(Node& node, std::shared_ptr<const Blueprint> blueprint);
  Convolution(const Convolution&) = delete;  // its program refers to it

  /// Its layout is that of forward's input, on both sides.
  const NodeLayout& layout() const { return plan_.input_layout(); }
  /// Elements of a node's local array.
  std::size_t size() const { return plan_.input_size(); }
  const Plan& plan() const { return plan_; }

  /// To be awaited, one call at a time. Multiplies every element of in's spectrum by
  /// factor(its wave vector), a real or complex number, and the result by 1/N: the factor 1 gives
  /// `in` back. All arrays of a batch get the same. `in` and `out` may begin at the same place and
  /// live until the end; the factor is copied.
  ///
  /// Of real data only wave vectors with k >= 0 along the last axis are asked for. The result is
  /// real because factor(-k) is taken for the conjugate of factor(k); where it is not, as for an
  /// odd derivative at n/2, the imaginary part of the result is lost.
  ///
  /// On a model the transforms take their time, the multiplication none.
  ///
  /// A factor that co_await's own expression makes must be trivially destructible, as a function is
  /// or a lambda that captures numbers and references; others need a name.
  template <typename Function>
  requires std::is_invocable_r_v<Complex, Function&, const WaveVector&> PerformAwaiter
  apply(ConstArray in, Array out, Function&& factor) {
    static_assert(std::is_lvalue_reference_v<Function> ||
                      std::is_trivially_destructible_v<std::remove_cvref_t<Function>>,
                  "g++ 12 may destroy such a temporary twice: give it a name");
    return begin(in, out, std::forward<Function>(factor));
  }

 private:
  using Factor = std::function<Complex(const WaveVector&)>;

  static Program run(Node& node, Convolution& self);
  PerformAwaiter begin(ConstArray in, Array out, Factor factor);
  template <typename AnyArray>
  AnyArray spectrum();
  void multiply();
  template <typename T>
  void multiply(const Box& box);
  template <typename T>
  void multiply_row(const Box& box, Index at);

  const Description& description() const { return plan_.blueprint().description(); }
  /// The fastest axis of the array.
  unsigned row_axis() const { return static_cast<unsigned>(description().size.size()) - 1; }

  Node* node_;
  Plan plan_;
  LocalArray spectrum_;
  ConstArray in_;
  Array out_;
  Factor factor_;
  Program program_;
};

}  // namespace toroid
