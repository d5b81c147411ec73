// What a node computes by itself: transforms of some axes of a strided local array, and copies.
// This is an interface; it is implemented by FFTW, unless the build leaves FFTW out, and by
// KissFFT.
//
// Conventions: forward sums x[n]·exp(-2πi·kn/N), inverse sums x[n]·exp(+2πi·kn/N); neither scales.
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
inline constexpr std::array<std::string_view, 2> kPrecisionNames = {"single", "double"};

enum class Kind : std::uint8_t {
  forward,       ///< complex to complex, exp(-2πi·kn/N)
  inverse,       ///< complex to complex, exp(+2πi·kn/N)
  real_to_half,  ///< forward, real in, complex out; the last transformed axis is halved to n/2+1
  half_to_real,  ///< the unscaled inverse of real_to_half; destroys its input
  // Real to real, along a single axis. The formulas are in fft/orbital/coefficients.hpp.
  dct_2,  ///< the forward dct
  dct_3,  ///< its inverse
  dst_2,  ///< the forward dst
  dst_3,  ///< its inverse
  dht,    ///< the Hartley transform, cos minus sin
  wht,    ///< the Walsh-Hadamard transform
};

inline constexpr unsigned kMaxLocalAxes = 8;

/// One axis of a local array. Strides are not negative. They count elements of the input or of the
/// output.
struct Axis {
  std::int64_t length = 1;  ///< on the real side if the sides differ; 0 if the array is empty
  std::int64_t in_stride = 1;
  std::int64_t out_stride = 1;
  bool transformed = false;  ///< if false, each index along the axis has its own transforms
  auto operator<=>(const Axis&) const = default;
};

/// What a kernel does. If no axis is transformed, it copies: complex elements for the complex
/// kinds, real elements for the others.
struct Work {
  std::array<Axis, kMaxLocalAxes>
      axes;  ///< in any order, but the last transformed axis is the halved one
  Kind kind = Kind::forward;
  Precision precision = Precision::double_;
  /// Input and output are one array. REQUIRES, if set: the two strides of an axis longer than 1 are
  /// equal, and both sides have elements of one type.
  bool in_place = true;
  /// The address of the first element is a multiple of at least 16 bytes, as in a LocalArray. If
  /// false, it is any multiple of the element's size.
  bool aligned = true;
  /// For the dct and dst: with the weights of fft/orbital/coefficients.hpp.
  bool weighted = false;
  auto operator<=>(const Work&) const = default;
};

/// Planned work that can run on any number of arrays.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Leaves `in` unchanged, unless the work is in place or of the kind half_to_real. Several
  /// threads may run a kernel at once. REQUIRES: in == out if the work is in place; otherwise the
  /// arrays are disjoint.
  virtual void run(const void* in, void* out) const = 0;
};

/// How much planning may cost. Only FFTW measures; for KissFFT both values mean the same.
enum class Rigor : std::uint8_t {
  estimate,  ///< nothing is measured: without wisdom, every run of a program gives equal results
  measure,   ///< candidates are timed: transforms are faster, but last bits may differ between runs
};
inline constexpr std::array<std::string_view, 2> kRigorNames = {"estimate", "measure"};

/// Makes kernels. To add a library, implement this interface.
class Library {
 public:
  virtual ~Library() = default;
  /// Plans each pair of work and rigor once in a process; after that its kernel is shared. Several
  /// threads may call this at once.
  virtual std::shared_ptr<const Kernel> plan(const Work& work, Rigor rigor) const = 0;
  /// Runs a work once, to compute a reference. It shares as little code with plan() as the library
  /// permits. REQUIRES: the work is not empty and has double precision.
  virtual void run_once(const Work& work, const void* in, void* out) const = 0;
};

enum class LibraryName : std::uint8_t {
  fftw,     ///< FFTW 3, under the GNU GPL; not in builds with TOROID_FFTW=OFF
  kissfft,  ///< KissFFT as contained in Eigen, under the Mozilla Public License 2.0
};
inline constexpr std::array<std::string_view, 2> kLibraryNames = {"fftw", "kissfft"};

/// Whether this build contains the library.
bool has(LibraryName name);
/// FFTW if the build contains it, otherwise KissFFT.
LibraryName default_library();
/// The library of that name. Throws BadInput if the build does not contain it.
const Library& library(LibraryName name);

/// Loads wisdom, i.e. measurements from other processes. A wisdom file has toroid's own lines,
/// FFTW's wisdom in double precision and FFTW's wisdom in single precision; each part may be
/// missing. The first line has a checksum of all parts (wisdom_format.hpp). Returns false if the
/// file does not exist or is empty. Throws BadInput if the checksum does not match (then FFTW does
/// not see the file), or if the file is not wisdom of this FFTW. A build without FFTW refuses
/// FFTW's wisdom.
bool load_wisdom(const std::filesystem::path& path);
/// The content of a wisdom file with all wisdom of this process.
std::string wisdom();
/// Forgets all wisdom of this process.
void forget_wisdom();

/// Toroid's own lines that were loaded or added, without duplicates.
std::vector<std::string> own_wisdom();
/// REQUIRES: a single line without its newline, beginning with "toroid ".
void add_own_wisdom(std::string line);

/// Transforms a whole array of 1 to kMaxLocalAxes axes by one call of the default library, in
/// place, in C order, with sign -1 or +1. Serves as reference for checks of results.
void serial_reference(std::span<const std::int64_t> size, int sign,
                      std::span<std::complex<double>> array);
/// Transforms a real array to its half spectrum, with the last axis halved, as numpy.fft.rfftn
/// does.
void serial_reference(std::span<const std::int64_t> size, std::span<const double> real,
                      std::span<std::complex<double>> half);
/// The unscaled inverse of the real transform, as numpy.fft.irfftn(..., norm="forward") does.
/// Destroys `half`.
void serial_reference(std::span<const std::int64_t> size, std::span<std::complex<double>> half,
                      std::span<double> real);

}  // namespace toroid::fft::local
