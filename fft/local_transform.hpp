// The serial transforms that every decomposition stands on: an interface, so that another library
// can take FFTW's place.
//
// Conventions: forward sums x[n]·exp(-2πi·kn/N), inverse sums with +; neither scales.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fft/box.hpp"

namespace toroid {

enum class Sign : int { forward = -1, inverse = +1 };

/// One axis of a local array; strides in elements.
struct LocalAxis {
  std::int64_t length = 1;
  std::int64_t in_stride = 1;
  std::int64_t out_stride = 1;
  bool transformed = false;  ///< else: one transform per place along it
  auto operator<=>(const LocalAxis&) const = default;
};

/// A transform of some axes of a local array. REQUIRES: in place, both strides of an axis are one.
struct LocalShape {
  std::array<LocalAxis, 3> axes;  ///< in any order
  bool in_place = true;
  auto operator<=>(const LocalShape&) const = default;
};

/// Made once per shape, for any number of arrays. Safe to run from several threads at once.
class LocalTransform {
 public:
  virtual ~LocalTransform() = default;
  /// Leaves `in` as it was unless in place. REQUIRES: both are elements of a LocalArray, not
  /// necessarily the first; in == out where the shape is in place, disjoint otherwise.
  virtual void run(const Complex* in, Complex* out) const = 0;
};

/// What a plan may cost.
enum class Rigor : std::uint8_t {
  estimate,  ///< nothing is measured: equal results on every run of a process without wisdom
  measure,   ///< candidates are timed: faster transforms, whose last bits may differ between runs
};

inline constexpr std::array<std::string_view, 2> kRigorNames = {"estimate", "measure"};

/// Makes transforms; the one place to change in order to use another library. Planning is for one
/// thread at a time.
class TransformLibrary {
 public:
  virtual ~TransformLibrary() = default;
  virtual std::unique_ptr<LocalTransform> plan(const LocalShape& shape, Sign sign,
                                               Rigor rigor) const = 0;
};

/// FFTW 3.
const TransformLibrary& fftw_library();

/// What FFTW has measured, kept between processes. False: there is no such file, or nothing in it.
/// Throws BadInput where the file is not wisdom of this FFTW.
bool load_wisdom(const std::filesystem::path& path);
/// The content of such a file.
std::string wisdom();

/// The whole three-dimensional transform by FFTW in one call, in place, C order: what results are
/// checked against.
void fftw_reference(const Index& size, Sign sign, std::span<Complex> array);

}  // namespace toroid
