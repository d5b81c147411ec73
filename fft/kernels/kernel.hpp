// What a node computes on its own: transforms of some axes of a strided local array, and copies.
// An interface, so that another library can take FFTW's place.
//
// Conventions: forward sums x[n]·exp(-2πi·kn/N), inverse sums with +; neither scales.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace toroid::local {

enum class Precision : std::uint8_t { single, double_ };

enum class Kind : std::uint8_t {
  forward,       ///< complex to complex, exp(-2πi·kn/N)
  inverse,       ///< complex to complex, exp(+2πi·kn/N)
  real_to_half,  ///< forward, real in, complex out; the last transformed axis is halved to n/2+1
  half_to_real,  ///< the inverse of that, unscaled; destroys its input
};

inline constexpr unsigned kMaxLocalAxes = 8;

/// One axis of a local array; strides in elements of their side, not negative.
struct Axis {
  std::int64_t length = 1;  ///< of the real side where the two differ; 0: there is no element
  std::int64_t in_stride = 1;
  std::int64_t out_stride = 1;
  bool transformed = false;  ///< else: one transform per place along it
  auto operator<=>(const Axis&) const = default;
};

/// What a kernel does. Where no axis is transformed it copies, complex elements for the complex
/// kinds, real ones for the real kinds.
struct Work {
  std::array<Axis, kMaxLocalAxes> axes;  ///< in any order, except which transformed one is last
  Kind kind = Kind::forward;
  Precision precision = Precision::double_;
  /// REQUIRES: both strides of an axis (longer than 1) are one; never for the real kinds.
  bool in_place = true;
  /// Places are aligned as a LocalArray is, the first element at least by 16 bytes; else they may
  /// be any multiple of the element's own size.
  bool aligned = true;
  auto operator<=>(const Work&) const = default;
};

/// Planned work, for any number of arrays.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Leaves `in` as it was unless in place or half_to_real. Safe to run from several threads at
  /// once. REQUIRES: in == out where in place, disjoint otherwise.
  virtual void run(const void* in, void* out) const = 0;
};

/// What a plan may cost.
enum class Rigor : std::uint8_t {
  estimate,  ///< nothing is measured: equal results on every run of a process without wisdom
  measure,   ///< candidates are timed: faster transforms, whose last bits may differ between runs
};

/// Makes kernels; the one place to change in order to use another library.
class Library {
 public:
  virtual ~Library() = default;
  /// Planned once per (work, rigor) in a process, then shared: safe from several threads.
  virtual std::shared_ptr<const Kernel> plan(const Work& work, Rigor rigor) const = 0;
};

/// FFTW 3.
const Library& fftw();

/// What has been measured, kept between processes: this project's own lines, FFTW's wisdom in
/// double precision, FFTW's wisdom in single precision; each may be missing. False: there is no
/// such file, or nothing in it. Throws BadInput where the file is not wisdom of this FFTW.
bool load_wisdom(const std::filesystem::path& path);
/// The content of such a file.
std::string wisdom();

/// This project's own part of it: the lines that were loaded or added, each of them once.
std::vector<std::string> own_wisdom();
/// REQUIRES: one line without its end, which begins with "toroid ".
void add_own_wisdom(std::string line);

/// The transform of a whole array by FFTW in one call, in place, C order, sign -1 or +1: what
/// results are checked against. One to kMaxLocalAxes axes.
void fftw_reference(std::span<const std::int64_t> size, int sign,
                    std::span<std::complex<double>> array);
/// The same of a real array, whose last axis is halved: numpy.fft.rfftn.
void fftw_reference(std::span<const std::int64_t> size, std::span<const double> real,
                    std::span<std::complex<double>> half);
/// And back, unscaled: numpy.fft.irfftn(..., norm="forward"). Destroys `half`.
void fftw_reference(std::span<const std::int64_t> size, std::span<std::complex<double>> half,
                    std::span<double> real);

}  // namespace toroid::local
