#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fft/kernels/kernel.hpp"
#include "fft/kernels/kernel_work.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

/// The work on a whole array in C order. For real data, `size` has the extents of the real array.
Work whole(std::span<const std::int64_t> size, Kind kind) {
  TOROID_CHECK(!size.empty());
  TOROID_CHECK_LE(size.size(), kMaxLocalAxes);
  Work work{{}, kind, Precision::double_, !is_halved(kind)};
  std::int64_t real = 1, complex = 1;
  for (std::size_t a = size.size(); a-- > 0;) {
    const bool halved = is_halved(kind) && a + 1 == size.size();
    const auto [in, out] = kind == Kind::real_to_half   ? std::pair(real, complex)
                           : kind == Kind::half_to_real ? std::pair(complex, real)
                                                        : std::pair(complex, complex);
    work.axes[a] = {size[a], in, out, true};
    real *= size[a];
    complex *= halved ? size[a] / 2 + 1 : size[a];
  }
  return work;
}

void run_whole(const Work& work, std::size_t in_bytes, const void* in, std::size_t out_bytes,
               void* out) {
  if (holds_nothing(work)) return;
  TOROID_CHECK_EQ(in_bytes, reach_bytes(work, Side::in));
  TOROID_CHECK_EQ(out_bytes, reach_bytes(work, Side::out));
  library(default_library()).run_once(work, in, out);
}

}  // namespace

void serial_reference(std::span<const std::int64_t> size, int sign,
                      std::span<std::complex<double>> array) {
  TOROID_CHECK_EQ(sign * sign, 1);
  run_whole(whole(size, sign < 0 ? Kind::forward : Kind::inverse), array.size_bytes(), array.data(),
            array.size_bytes(), array.data());
}

void serial_reference(std::span<const std::int64_t> size, std::span<const double> real,
                      std::span<std::complex<double>> half) {
  run_whole(whole(size, Kind::real_to_half), real.size_bytes(), real.data(), half.size_bytes(),
            half.data());
}

void serial_reference(std::span<const std::int64_t> size, std::span<std::complex<double>> half,
                      std::span<double> real) {
  run_whole(whole(size, Kind::half_to_real), half.size_bytes(), half.data(), real.size_bytes(),
            real.data());
}

}  // namespace toroid::fft::local
