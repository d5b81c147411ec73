// What a node computes by itself: transforms of some axes of a strided local array, and copies. It
// is an interface, behind which there are FFTW, unless the build leaves it out, and KissFFT.
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
#include <string_view>
#include <vector>

namespace toroid::fft::local {

enum class Precision : std::uint8_t { single, double_ };

enum class Kind : std::uint8_t {
  forward,       ///< complex to complex, exp(-2πi·kn/N)
  inverse,       ///< complex to complex, exp(+2πi·kn/N)
  real_to_half,  ///< forward, real in, complex out; the last transformed axis is halved to n/2+1
  half_to_real,  ///< the inverse of that, unscaled; destroys its input
};

inline constexpr unsigned kMaxLocalAxes = 8;

/// One axis of a local array. Strides are not negative and count elements of their side.
struct Axis {
  std::int64_t length = 1;  ///< the real side's if the two differ; 0: the array is empty
  std::int64_t in_stride = 1;
  std::int64_t out_stride = 1;
  bool transformed = false;  ///< if not, there is one transform per index along the axis
  auto operator<=>(const Axis&) const = default;
};

/// What a kernel does. If no axis is transformed, it copies: complex elements for the complex
/// kinds, real elements for the real kinds.
struct Work {
  std::array<Axis, kMaxLocalAxes>
      axes;  ///< in any order; a halved axis is the last transformed one
  Kind kind = Kind::forward;
  Precision precision = Precision::double_;
  /// REQUIRES: the two strides of an axis longer than 1 are equal, and the kind is complex.
  bool in_place = true;
  /// The first element is at a multiple of 16 bytes at least, as in a LocalArray. If not aligned,
  /// it is at any multiple of its own size.
  bool aligned = true;
  auto operator<=>(const Work&) const = default;
};

/// Planned work, to be run on any number of arrays.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Leaves `in` as it was unless in place or half_to_real. Several threads may run it at once.
  /// REQUIRES: in == out if in place, disjoint arrays otherwise.
  virtual void run(const void* in, void* out) const = 0;
};

/// How much planning may cost. Only FFTW measures; to KissFFT both are the same.
enum class Rigor : std::uint8_t {
  estimate,  ///< nothing is measured: equal results on every run of a process without wisdom
  measure,   ///< candidates are timed: faster transforms, whose last bits may differ between runs
};

/// Makes kernels. Another library is used by implementing this.
class Library {
 public:
  virtual ~Library() = default;
  /// Plans once per (work, rigor) in a process; the kernel is then shared. Several threads may call
  /// at once.
  virtual std::shared_ptr<const Kernel> plan(const Work& work, Rigor rigor) const = 0;
  /// Does work that is not empty, in double precision, once, for references: it has as little in
  /// common with plan() as the library permits.
  virtual void run_once(const Work& work, const void* in, void* out) const = 0;
};

enum class LibraryName : std::uint8_t {
  fftw,     ///< FFTW 3, under the GNU GPL; builds with TOROID_FFTW=OFF are without it
  kissfft,  ///< KissFFT in the form that Eigen contains, under the Mozilla Public License 2.0
};
inline constexpr std::array<std::string_view, 2> kLibraryNames = {"fftw", "kissfft"};

/// Whether this build contains the library.
bool has(LibraryName name);
/// FFTW where the build contains it.
LibraryName default_library();
/// Throws BadInput if the build does not contain it.
const Library& library(LibraryName name);

/// Loads wisdom: what has been measured in other processes. A file of wisdom has this project's own
/// lines, FFTW's wisdom in double precision and FFTW's wisdom in single precision; each may be
/// missing; the first line has a checksum of them (wisdom_format.hpp). Returns false if there is no
/// such file or nothing in it. Throws BadInput, before FFTW sees anything, if the checksum does not
/// fit, and if the file is not wisdom of this FFTW. A build without FFTW refuses FFTW's lines.
bool load_wisdom(const std::filesystem::path& path);
/// The content of a file with all wisdom of this process.
std::string wisdom();
/// Forgets all wisdom of this process.
void forget_wisdom();

/// This project's own lines that were loaded or added, each of them once.
std::vector<std::string> own_wisdom();
/// REQUIRES: one line without its end, which begins with "toroid ".
void add_own_wisdom(std::string line);

/// Transforms a whole array of 1 to kMaxLocalAxes axes by one call of the default library, in
/// place, in C order, with sign -1 or +1. Results are checked against it.
void serial_reference(std::span<const std::int64_t> size, int sign,
                      std::span<std::complex<double>> array);
/// The same for a real array, whose last axis is halved, as numpy.fft.rfftn does.
void serial_reference(std::span<const std::int64_t> size, std::span<const double> real,
                      std::span<std::complex<double>> half);
/// The unscaled inverse of that, as numpy.fft.irfftn(..., norm="forward") does. Destroys `half`.
void serial_reference(std::span<const std::int64_t> size, std::span<std::complex<double>> half,
                      std::span<double> real);

}  // namespace toroid::fft::local
