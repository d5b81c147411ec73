// A line x of n points becomes a line v of the same points, the dft of v gives V, and the result
// follows from V:
//
//   dct_2   v = x[0], x[2], x[4], ..., x[5], x[3], x[1]     with t(k) = exp(-πik/2n) and
//           y[k] = Re t(k)V[k],  y[n-k] = -Im t(k)V[k]      0 < k < n/2
//   dct_3   the same backwards: V[k] = conj(t(k))·(x[k] - i·x[n-k]), y from v = the inverse dft of
//   V dst_2   the dct_2 of x with alternating signs, read backwards dst_3   the dct_3 of x read
//   backwards, with alternating signs dht     v = x;  y[k] = Re V[k] + Im V[k],  y[n-k] = Re V[k] -
//   Im V[k]
//
// V has n/2 + 1 numbers, as v is real. If n is even, v is read as n/2 complex numbers z, and V
// follows from their dft Z; with w(k) = exp(-2πik/n),
//
//   V[k] = E + w(k)·O,  V[n/2-k] = conj(E - w(k)·O)
//   E = (Z[k] + conj Z[n/2-k])/2,  O = (Z[k] - conj Z[n/2-k])/2i
//
// Source: Makhoul, "A fast cosine transform in one and two dimensions", 1980.
#include "fft/kernels/real_to_real.hpp"

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "fft/kernels/kernel_work.hpp"
#include "fft/kernels/line_blocks.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

template <typename Real>
struct Scratch {
  GatheredLines gathered;
  Room points;   ///< the lines v
  Room spectra;  ///< their half spectra V
};

template <typename Real>
Scratch<Real>& of_this_thread() {
  thread_local Scratch<Real> scratch;
  return scratch;
}

bool is_inverse(Kind kind) {
  return kind == Kind::dct_3 || kind == Kind::dst_3;
}
bool is_sine(Kind kind) {
  return kind == Kind::dst_2 || kind == Kind::dst_3;
}

/// std::complex's product also looks for infinities, which takes longer.
template <typename Real>
std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-πi·k/whole) for k from 0 to count - 1.
template <typename Real>
std::vector<std::complex<Real>> turns(std::int64_t count, std::int64_t whole) {
  std::vector<std::complex<Real>> turns;
  for (std::int64_t k = 0; k < count; ++k) {
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(whole);
    turns.emplace_back(static_cast<Real>(std::cos(angle)), static_cast<Real>(-std::sin(angle)));
  }
  return turns;
}

/// The half spectra of real lines, in both directions, without scale.
template <typename Real>
class HalfSpectra {
  using Complex = std::complex<Real>;

 public:
  HalfSpectra(std::int64_t points, bool inverse, std::int64_t lines_of_row, const Work& work,
              Rigor rigor, const Library& library)
      : points_(points), inverse_(inverse) {
    constexpr std::int64_t kMost = LineBlocks<Real, Real>::kMostLines;
    if (lines_of_row >= kMost) full_ = library.plan(inner(work, kMost), rigor);
    if (lines_of_row % kMost > 0) rest_ = library.plan(inner(work, lines_of_row % kMost), rigor);
    if (is_even()) roots_ = turns<Real>(points / 4 + 1, points / 2);
  }

  std::int64_t half() const { return points_ / 2 + 1; }

  /// Transforms lines of real points to lines of half() complex numbers, or back if it is inverse.
  /// REQUIRES: kMostLines lines, or the rest of a row.
  void run(std::int64_t lines, Real* points, Complex* spectra) const {
    const Kernel& kernel = lines == LineBlocks<Real, Real>::kMostLines ? *full_ : *rest_;
    if (inverse_) {
      for (std::int64_t l = 0; is_even() && l < lines; ++l) entangle(spectra + l * half());
      kernel.run(spectra, points);
    } else {
      kernel.run(points, spectra);
      for (std::int64_t l = 0; is_even() && l < lines; ++l) untangle(spectra + l * half());
    }
  }

 private:
  bool is_even() const { return points_ % 2 == 0; }

  Work inner(const Work& work, std::int64_t lines) const {
    Work inner;
    inner.precision = work.precision;
    inner.in_place = false;
    if (is_even())
      inner.kind = inverse_ ? Kind::inverse : Kind::forward;
    else
      inner.kind = inverse_ ? Kind::half_to_real : Kind::real_to_half;
    const std::int64_t length = is_even() ? points_ / 2 : points_;
    inner.axes[0] = {lines, inverse_ ? half() : length, inverse_ ? length : half(), false};
    inner.axes[1] = {length, 1, 1, true};
    return inner;
  }

  /// From Z to V, in place.
  void untangle(Complex* z) const {
    const std::int64_t m = points_ / 2;
    const Complex first = z[0];
    z[m] = {first.real() - first.imag(), 0};
    z[0] = {first.real() + first.imag(), 0};
    for (std::int64_t k = 1; 2 * k <= m; ++k) {
      const Complex a = z[k], b = std::conj(z[m - k]);
      const Complex even = Real(0.5) * (a + b), twice = Real(0.5) * (a - b);
      const Complex odd =
          product(roots_[static_cast<std::size_t>(k)], Complex(twice.imag(), -twice.real()));
      z[k] = even + odd;
      z[m - k] = std::conj(even - odd);
    }
  }

  /// From V to Z, in place, with twice the values.
  void entangle(Complex* v) const {
    const std::int64_t m = points_ / 2;
    v[0] = {v[0].real() + v[m].real(), v[0].real() - v[m].real()};
    for (std::int64_t k = 1; 2 * k <= m; ++k) {
      const Complex a = v[k], b = std::conj(v[m - k]);
      const Complex even = a + b;
      const Complex odd = product(std::conj(roots_[static_cast<std::size_t>(k)]), a - b);
      const Complex turned(-odd.imag(), odd.real());
      v[k] = even + turned;
      v[m - k] = std::conj(even - turned);
    }
  }

  std::int64_t points_;
  bool inverse_;
  std::vector<Complex> roots_;  ///< w(k)
  std::shared_ptr<const Kernel> full_, rest_;
};

template <typename Real>
class ByFourier final : public Kernel {
  using Complex = std::complex<Real>;
  using Blocks = LineBlocks<Real, Real>;

 public:
  ByFourier(const Work& work, Rigor rigor, const Library& library)
      : kind_(work.kind),
        n_(work.axes[0].length),
        blocks_(work, n_, n_),
        spectra_(n_, is_inverse(kind_), blocks_.lines_of_row(), work, rigor, library) {
    if (work.weighted) weight_ = is_inverse(kind_) ? 2 * kHalfRoot : kHalfRoot;
    if (kind_ != Kind::dht) turns_ = turns<Real>(n_ / 2 + 1, 2 * n_);
  }

  void run(const void* in, void* out) const override {
    Scratch<Real>& scratch = of_this_thread<Real>();
    blocks_.run(static_cast<const Real*>(in), static_cast<Real*>(out), scratch.gathered,
                [&](const typename Blocks::Block& block) { transform(block, scratch); });
  }

 private:
  void transform(const typename Blocks::Block& block, Scratch<Real>& scratch) const {
    const std::int64_t half = spectra_.half();
    Real* const points = scratch.points.template of<Real>(block.lines * n_);
    Complex* const spectra = scratch.spectra.template of<Complex>(block.lines * half);
    for (std::int64_t l = 0; l < block.lines; ++l)
      before(block.in + l * block.in_step, points + l * n_, spectra + l * half);
    spectra_.run(block.lines, points, spectra);
    for (std::int64_t l = 0; l < block.lines; ++l)
      after(points + l * n_, spectra + l * half, block.out + l * block.out_step);
  }

  void before(const Real* x, Real* points, Complex* spectrum) const {
    if (is_inverse(kind_))
      is_sine(kind_) ? to_spectrum<true>(x, spectrum) : to_spectrum<false>(x, spectrum);
    else if (kind_ == Kind::dht)
      std::copy_n(x, n_, points);
    else
      fold(x, kind_ == Kind::dst_2 ? Real(-1) : Real(1), points);
  }

  void after(const Real* points, const Complex* spectrum, Real* y) const {
    if (is_inverse(kind_))
      unfold(points, kind_ == Kind::dst_3 ? Real(-1) : Real(1), y);
    else if (kind_ == Kind::dht)
      to_hartley(spectrum, y);
    else
      is_sine(kind_) ? from_spectrum<true>(spectrum, y) : from_spectrum<false>(spectrum, y);
  }

  /// Multiplies points with odd numbers by `sign`.
  void fold(const Real* x, Real sign, Real* v) const {
    for (std::int64_t i = 0; i < n_ / 2; ++i) {
      v[i] = x[2 * i];
      v[n_ - 1 - i] = sign * x[2 * i + 1];
    }
    if (n_ % 2 == 1) v[n_ / 2] = x[n_ - 1];
  }
  void unfold(const Real* v, Real sign, Real* y) const {
    for (std::int64_t i = 0; i < n_ / 2; ++i) {
      y[2 * i] = v[i];
      y[2 * i + 1] = sign * v[n_ - 1 - i];
    }
    if (n_ % 2 == 1) y[n_ - 1] = v[n_ / 2];
  }

  template <bool kBackwards>
  std::int64_t place(std::int64_t k) const {
    return kBackwards ? n_ - 1 - k : k;
  }

  template <bool kBackwards>
  void from_spectrum(const Complex* v, Real* y) const {
    y[place<kBackwards>(0)] = weight_ * v[0].real();
    for (std::int64_t k = 1; 2 * k < n_; ++k) {
      const Complex turned = product(turns_[static_cast<std::size_t>(k)], v[k]);
      y[place<kBackwards>(k)] = turned.real();
      y[place<kBackwards>(n_ - k)] = -turned.imag();
    }
    if (n_ % 2 == 0) y[place<kBackwards>(n_ / 2)] = kHalfRoot * v[n_ / 2].real();
  }

  template <bool kBackwards>
  void to_spectrum(const Real* x, Complex* v) const {
    v[0] = {weight_ * x[place<kBackwards>(0)], 0};
    for (std::int64_t k = 1; 2 * k < n_; ++k)
      v[k] = product(std::conj(turns_[static_cast<std::size_t>(k)]),
                     Complex(x[place<kBackwards>(k)], -x[place<kBackwards>(n_ - k)]));
    if (n_ % 2 == 0) v[n_ / 2] = {2 * kHalfRoot * x[place<kBackwards>(n_ / 2)], 0};
  }

  void to_hartley(const Complex* v, Real* y) const {
    y[0] = v[0].real();
    for (std::int64_t k = 1; 2 * k < n_; ++k) {
      y[k] = v[k].real() + v[k].imag();
      y[n_ - k] = v[k].real() - v[k].imag();
    }
    if (n_ % 2 == 0) y[n_ / 2] = v[n_ / 2].real();
  }

  static constexpr Real kHalfRoot = std::numbers::sqrt2_v<Real> / 2;  ///< cos(π/4)

  Kind kind_;
  std::int64_t n_;
  Blocks blocks_;
  HalfSpectra<Real> spectra_;
  std::vector<Complex> turns_;  ///< t(k)
  Real weight_ = 1;             ///< of frequency 0
};

/// The Walsh-Hadamard transform by sums and differences of pairs.
template <typename Real>
class WalshHadamard final : public Kernel {
  using Blocks = LineBlocks<Real, Real>;

 public:
  explicit WalshHadamard(const Work& work) : n_(work.axes[0].length), blocks_(work, n_, n_) {}

  void run(const void* in, void* out) const override {
    blocks_.run(static_cast<const Real*>(in), static_cast<Real*>(out),
                of_this_thread<Real>().gathered, [this](const typename Blocks::Block& block) {
                  for (std::int64_t l = 0; l < block.lines; ++l) {
                    Real* const line = block.out + l * block.out_step;
                    std::copy_n(block.in + l * block.in_step, n_, line);
                    transform(line);
                  }
                });
  }

 private:
  void transform(Real* line) const {
    for (std::int64_t apart = 1; apart < n_; apart *= 2)
      for (std::int64_t first = 0; first < n_; first += 2 * apart)
        for (std::int64_t i = first; i < first + apart; ++i) {
          const Real a = line[i], b = line[i + apart];
          line[i] = a + b;
          line[i + apart] = a - b;
        }
  }

  std::int64_t n_;
  Blocks blocks_;
};

template <typename Real>
std::shared_ptr<const Kernel> made(const Work& work, Rigor rigor, const Library& library) {
  if (work.kind == Kind::wht) return std::make_shared<WalshHadamard<Real>>(work);
  return std::make_shared<ByFourier<Real>>(work, rigor, library);
}

}  // namespace

std::shared_ptr<const Kernel> real_to_real(const Work& work, Rigor rigor, const Library& library) {
  TOROID_CHECK(work.axes[0].transformed && !work.axes[1].transformed);
  return work.precision == Precision::single ? made<float>(work, rigor, library)
                                             : made<double>(work, rigor, library);
}

}  // namespace toroid::fft::local
