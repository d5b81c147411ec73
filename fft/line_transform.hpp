// The serial transform of lines that every decomposition stands on: an interface, so that another
// library can take FFTW's place.
//
// Conventions: forward sums x[n]·exp(-2πi·kn/N), inverse sums with +; neither scales.
#pragma once

#include <memory>
#include <span>

#include "fft/box.hpp"

namespace toroid {

enum class Sign : int { forward = -1, inverse = +1 };

/// Transforms of lines of one length in one direction. Safe to use from several threads at once.
class LineTransform {
 public:
  virtual ~LineTransform() = default;
  /// In place; `lines` holds whole lines, one behind the other.
  virtual void run(std::span<Complex> lines) const = 0;
};

/// Makes line transforms; the one place to change in order to use another library.
class LineTransformLibrary {
 public:
  virtual ~LineTransformLibrary() = default;
  virtual std::unique_ptr<LineTransform> plan(std::int64_t length, Sign sign) const = 0;
};

/// FFTW 3, planned without measuring: equal results on every run.
const LineTransformLibrary& fftw_lines();

/// The whole three-dimensional transform by FFTW in one call, in place, C order: what results are
/// checked against.
void fftw_reference(const Index& size, Sign sign, std::span<Complex> array);

}  // namespace toroid
