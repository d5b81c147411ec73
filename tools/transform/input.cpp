#include "tools/transform/input.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/orbital/stage_adapter.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/check.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/run_inputs.hpp"
#include "tools/run/estimate.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/warning.hpp"
#include "tools/transform/kinds_text.hpp"

namespace toroid {
namespace {

/// Whether the spectrum is the half spectrum of real data. The orbital method and transforms other
/// than the dft have none: they transform real data to real data.
bool keeps_half(const FftOptions& options) {
  return options.real && options.method != "orbital" && kinds_of(options.transform)[0].is_fourier();
}

bool takes_real(const FftOptions& options) {
  return options.real && !(options.inverse && keeps_half(options));
}

void check_memory_for(const FftOptions& options, const Shape& shape, const Size& size) {
  check_memory(shape, fft_bytes(options, size, shape));
}

/// Size of the spectrum that an inverse transform takes.
Size spectrum_size(const FftOptions& options, Size size) {
  for (std::int64_t& n : size) n = std::max<std::int64_t>(1, fft::kept_of(n, options.box_cut));
  if (keeps_half(options)) size.back() = size.back() / 2 + 1;
  return size;
}

/// The length of the shortest axis of which the box cut keeps at least m points.
std::int64_t least_whole(std::int64_t m, double box_cut) {
  const double about = std::floor(static_cast<double>(m) * box_cut);
  std::int64_t n = std::max(m, static_cast<std::int64_t>(about) - 1);
  while (fft::kept_of(n, box_cut) < m) ++n;
  return n;
}

/// The size of the whole array for an array of size `read`: the smallest that fits.
Size whole_size(const FftOptions& options, const Size& read) {
  if (!options.inverse) return read;
  Size size = read;
  if (keeps_half(options)) size.back() = std::max<std::int64_t>(1, 2 * (size.back() - 1));
  for (std::int64_t& n : size) n = least_whole(n, options.box_cut);
  return size;
}

/// An input of random numbers. If the input is a half spectrum of real data, it is computed from
/// random real data.
HostArray random_input(const FftOptions& options, const Size& size) {
  if (!options.inverse || takes_real(options))
    return random_array(size, options.batch, options.real, options.common.seed);
  const Size of_spectrum = spectrum_size(options, size);
  HostArray spectrum = random_array(of_spectrum, options.batch, false, options.common.seed);
  if (!options.real) return spectrum;
  const HostArray array = random_array(size, options.batch, true, options.common.seed);
  std::vector<double> real(array.volume());
  for (std::size_t b = 0; b < static_cast<std::size_t>(options.batch); ++b) {
    for (std::size_t i = 0; i < real.size(); ++i)
      real[i] = array.values[b * real.size() + i].real();
    fft::local::serial_reference(
        size, std::span<const double>(real),
        std::span(spectrum.values).subspan(b * spectrum.volume(), spectrum.volume()));
  }
  return spectrum;
}

void check_fits(const FftOptions& options, const Size& size, const HostArray& array) {
  const Size expected = options.inverse ? spectrum_size(options, size) : size;
  if (expected == array.size) return;
  const std::string spectrum =
      expected == size ? "" : fmt::format(", whose spectrum is {},", size_text(expected));
  throw BadInput(fmt::format("--size {}{} does not fit {}, which is {}", size_text(size), spectrum,
                             input_name(options.in), size_text(array.size)));
}

/// Throws BadInput for the first element of the array that `is_good` rejects.
template <typename IsGood>
void check_elements(const std::string& name, const HostArray& array, const IsGood& is_good,
                    std::string_view fault) {
  if (const auto found = find_element_that_fails(array, is_good))
    throw BadInput(fmt::format("{}: element {} in C order {}", name, *found, fault));
}

/// Whether single precision has no normal number near this one, so that it loses digits or becomes
/// 0.
bool loses_digits(double number) {
  return std::abs(number) < std::numeric_limits<float>::min() &&
         static_cast<double>(static_cast<float>(number)) != number;
}

/// Whether single precision has a number near this one. It has NaN and infinity.
bool fits_single(double number) {
  return !std::isfinite(number) || std::abs(number) <= std::numeric_limits<float>::max();
}

/// Warns of numbers that are too small for single precision. Refuses an array in which all numbers
/// would become 0.
void check_small_values(const std::string& name, const HostArray& array) {
  std::size_t small = 0;
  bool is_zero = true;
  for_each_value(array, [&](const fft::Complex& value) {
    small += loses_digits(value.real()) || loses_digits(value.imag()) ? 1 : 0;
    is_zero = is_zero && std::complex<float>(value) == 0.0f;
  });
  if (small == 0) return;
  if (is_zero)
    throw BadInput(
        fmt::format("{}: all numbers are too small for single precision, where they "
                    "are 0",
                    name));
  warn(
      fmt::format("{}: {} elements are too small for single precision; they lose digits or become "
                  "0",
                  name, small));
}

void check_values(const FftOptions& options, const HostArray& array) {
  const std::string name = input_name(options.in);
  if (takes_real(options)) check_real(name, array, ", as --real requires");
  if (options.precision == "single") check_fits_single(name, array);
}

/// The array with the size of the whole array.
FftInput sized_input(const FftOptions& options, const Shape& shape, HostArray array) {
  const Size size =
      options.size.empty() ? whole_size(options, array.size) : parse_size(options.size);
  check_number_of_kinds(options.transform, size.size());
  check_fits(options, size, array);
  check_memory_for(options, shape, size);
  return {std::move(array), size};
}

}  // namespace

void check_real(const std::string& name, const HostArray& array, std::string_view why) {
  const auto is_real = [](const fft::Complex& value) { return value.imag() == 0; };
  check_elements(name, array, is_real, fmt::format("is not real{}", why));
}

void check_fits_single(const std::string& name, const HostArray& array) {
  if (array.borrowed && (array.borrowed->type == BorrowedArray::Type::float32 ||
                         array.borrowed->type == BorrowedArray::Type::complex64))
    return;
  const auto is_single = [](const fft::Complex& value) {
    return fits_single(value.real()) && fits_single(value.imag());
  };
  check_elements(name, array, is_single, "is too large for single precision");
  check_small_values(name, array);
}

double fft_bytes(const FftOptions& options, const Size& size, const Shape& shape) {
  const unsigned packed = options.layer == fft::kLayerNames[0] ? 0u : 2u;
  const unsigned kept = options.loops > 0 ? 1u : 0u;
  const unsigned in_order = transforms_lines(options.transform) ? 1u : 0u;
  const unsigned arrays =
      6u + packed + kept + in_order + unsigned{options.return_to_input} + unsigned{options.check};
  double bytes =
      static_cast<double>(sizeof(fft::Complex) * arrays) * static_cast<double>(options.batch);
  for (const std::int64_t n : size) bytes *= static_cast<double>(n);
  if (options.method == "orbital" && size.size() == 3)
    bytes += (options.loops > 0 ? 2 : 1) *
             fft::orbital_bytes({size[0], size[1], size[2]}, shape, options.batch,
                                parse_choice<fft::OrbitalVariant>(
                                    "variant", fft::kOrbitalVariantNames, options.variant));
  return bytes;
}

void note_host_array(const std::string& name, const HostArray& array) {
  if (RunInputs::current() == nullptr) return;
  InputHash hash(name);
  const std::string size = size_text(array.size);
  hash.add(std::as_bytes(std::span(size)));
  for_each_value(array,
                 [&](const fft::Complex& value) { hash.add(std::as_bytes(std::span(&value, 1))); });
  hash.end();
}

FftInput host_input(const FftOptions& options, const Shape& shape, const HostArray& array) {
  note_host_array(host_array_name(array), array);
  FftInput input = sized_input(options, shape, array);
  if (options.precision == "single") check_fits_single(host_array_name(array), input.array);
  return input;
}

std::string host_array_name(const HostArray& array) {
  return array.has_batch_axis ? "the array with its transformed axes last" : "the array";
}

FftInput fft_input(const FftOptions& options, const Shape& shape) {
  if (options.in.empty() && options.size.empty())
    throw BadInput("nothing to transform; give --in FILE or --size 64x64x64");
  if (options.in.empty()) {
    const Size size = parse_size(options.size);
    check_number_of_kinds(options.transform, size.size());
    check_memory_for(options, shape, size);
    return {random_input(options, size), size};
  }
  FftInput input = sized_input(
      options, shape,
      load_array(options.in, {options.batch, options.has_batch, options.reading_rules()}));
  check_values(options, input.array);
  return input;
}

}  // namespace toroid
