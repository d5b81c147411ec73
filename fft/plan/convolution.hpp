// Convolution: transforms an array, multiplies the spectrum by a function of the wave vector, and
// transforms back. Filters, derivatives, shifts and solutions of a Poisson equation are computed
// this way. Only the two transforms communicate.
//
// The transform along an axis may be the dft, the dct or the dst. A product with a dct's spectrum
// is a convolution of the array that is continued evenly across both of its ends, and a dst's of
// the array that is continued oddly.
//
//   fft::Convolution poisson(node, {.size = {64, 64, 64}, .real = true});  // before any await
//   std::vector<double> field(poisson.size());
//   co_await poisson.apply(field, field, green);                       // on every node
//
//   double green(const fft::WaveVector& k) {                           // in a cube of side 2π
//     const double square = static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
//     return square == 0 ? 0 : 1 / square;
//   }
//
// The spectrum stays in forward's output layout, because an element's place determines its wave
// vector. So leave out return_to_input and out_boxes: they would cost an exchange.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::fft {

/// The frequencies k of an element of the spectrum, axis by axis. The frequency is 0 along axes
/// that the array does not have.
///
///   dft  The element belongs to exp(+2πi·kn/N), which has k periods along the axis. An axis of n
///        points has the frequencies 0, 1, ..., n/2, -(n-1)/2, ..., -1 in this order; if n is
///        even, n/2 and -n/2 are the same.
///   dct  The element belongs to cos(π(2n+1)k / 2N), which has k half periods; its index is k.
///   dst  The element belongs to sin(π(2n+1)k / 2N), which has k half periods; its index is k - 1.
using WaveVector = std::array<std::int64_t, kMaxAxes>;

/// The wave vector of element `at` of forward's output. The half spectrum of real data has the
/// frequencies 0, 1, ..., n/2 along the last axis. A box cut leaves n points of a larger spectrum,
/// in which -n/2 differs from n/2. If n is even, it keeps -n/2. Throws BadInput if the array has
/// more than kMaxAxes axes, or if a transform is none of the dft, the dct and the dst.
WaveVector wave_vector(const Description& description, const Index& at);

/// A factor as a function of the wave vector; real numbers are complex numbers, too.
using WaveFactor = std::function<Complex(const WaveVector&)>;

/// Multiplies every element of a node's part of the spectrum, forward's output, by factor(its wave
/// vector). All arrays of a batch get the same factors. The imaginary part of the factor is lost if
/// the spectrum is real. Throws BadInput as wave_vector() does, and if `spectrum` is too short or
/// has elements of another type than forward's output.
void multiply_spectrum(const Plan& plan, const Array& spectrum, const WaveFactor& factor);

/// A convolution on one node. Like a Plan, it may be destroyed after its last call, and only the
/// node's own thread may call it.
class Convolution {
 public:
  /// Throws BadInput as Plan and wave_vector() do.
  Convolution(Node& node, const Description& description);
  /// Makes the convolution from a blueprint that the nodes share.
  Convolution(Node& node, std::shared_ptr<const Blueprint> blueprint);
  Convolution(const Convolution&) = delete;  // its program refers to the object

  /// The layout of both input and output.
  const NodeLayout& layout() const { return plan_.input_layout(); }
  /// Number of elements of this node's local array.
  std::size_t size() const { return plan_.input_size(); }
  const Plan& plan() const { return plan_; }

  /// Awaitable, one call at a time. Transforms `in`, multiplies every element of the spectrum by
  /// factor(its wave vector), a real or complex number, and transforms back to `out` with the scale
  /// 1/N: a factor of 1 gives `in` back. All arrays of a batch get the same factors. `in` and `out`
  /// may begin at the same place. Both must live until the call has ended; the factor is copied.
  ///
  /// For real data and the dft, the factor is only called with k >= 0 along the last axis. The
  /// result is real because factor(-k) is assumed to be the conjugate of factor(k). If it is not,
  /// as for an odd derivative at n/2, the imaginary part of the result is lost. For real data and
  /// other transforms the spectrum is real, and the imaginary part of the factor is lost.
  ///
  /// In virtual time the transforms take time and the multiplication takes none.
  ///
  /// A factor that is a temporary in co_await's expression must be trivially destructible.
  /// Functions are, and so are lambdas that capture only numbers and references. Give other factors
  /// a name.
  template <typename Function>
  requires std::is_invocable_r_v<Complex, Function&, const WaveVector&> PerformAwaiter
  apply(ConstArray in, Array out, Function&& factor) {
    static_assert(std::is_lvalue_reference_v<Function> ||
                      std::is_trivially_destructible_v<std::remove_cvref_t<Function>>,
                  "g++ 12 may destroy a temporary factor twice: give the factor a name");
    return begin(in, out, std::forward<Function>(factor));
  }

 private:
  static Program run(Node& node, Convolution& self);
  PerformAwaiter begin(ConstArray in, Array out, WaveFactor factor);
  Array spectrum();

  const Description& description() const { return plan_.blueprint().description(); }

  Node* node_;
  Plan plan_;
  LocalArray spectrum_;
  ConstArray in_;
  Array out_;
  WaveFactor factor_;
  Program program_;
};

}  // namespace toroid::fft
