// A line x of n points becomes a line v of the same points, the dft of v gives V, and the result
// follows from V. With t(k) = exp(-πik/2n) and 0 < k < n/2:
//
// clang-format off
//   dct_2   v = x[0], x[2], x[4], ..., x[5], x[3], x[1]
//           y[k] = Re t(k)V[k],  y[n-k] = -Im t(k)V[k]
//   dct_3   the same backwards: V[k] = conj(t(k))·(x[k] - i·x[n-k]), and v is their inverse dft
//   dst_2   the dct_2 of x with alternating signs; its result is read backwards
//   dst_3   the dct_3 of x read backwards; the signs of its result alternate
//   dht     v = x
//           y[k] = Re V[k] + Im V[k],  y[n-k] = Re V[k] - Im V[k]
//
// V has n/2 + 1 numbers, as v is real. If n is even, v is read as n/2 complex numbers z, and V
// follows from their dft Z. With w(k) = exp(-2πik/n):
//
//   V[k] = E + w(k)·O,  V[n/2-k] = conj(E - w(k)·O)
//   E = (Z[k] + conj Z[n/2-k])/2,  O = (Z[k] - conj Z[n/2-k])/2i
// clang-format on
//
// Source: Makhoul, "A fast cosine transform in one and two dimensions", 1980.
//
// Scratch arrays hold a block of lines index by index: the elements of all lines with the same
// index lie side by side, so that the inner loops, which go over the lines, are vector
// instructions.
#include "fft/kernels/real_to_real.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

#include "fft/kernels/line_blocks.hpp"
#include "fft/layout/local_array.hpp"
#include "hal/check.hpp"

// Compiles a function a second time, for processors with AVX2. The loader chooses one of the two
// when the program starts. Both give equal bits. Sanitizers would instrument the choice, which is
// made before they are ready.
#if defined(__x86_64__) && defined(__ELF__) && !defined(TOROID_SANITIZED)
#define TOROID_ALSO_FOR_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define TOROID_ALSO_FOR_AVX2
#endif
#define TOROID_INTO_ITS_CALLER __attribute__((always_inline)) inline
// Before a loop whose iterations do not depend on each other, which g++ cannot see. clang looks at
// the addresses when the loop runs.
#ifdef __clang__
#define TOROID_INDEPENDENT
#else
#define TOROID_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace toroid::fft::local {
namespace {

constexpr std::int64_t kLines = LineBlocks::kMostLines;
/// The number of lines of a full block, known to the compiler. Other blocks have a std::int64_t.
using FullBlock = std::integral_constant<std::int64_t, kLines>;

bool is_inverse(Kind kind) {
  return kind == Kind::dct_3 || kind == Kind::dst_3;
}
bool is_sine(Kind kind) {
  return kind == Kind::dst_2 || kind == Kind::dst_3;
}

/// exp(-πi·k/whole) for k from 0 to count - 1.
template <typename Real>
std::vector<std::complex<Real>> turns(std::int64_t count, std::int64_t whole) {
  std::vector<std::complex<Real>> all;
  for (std::int64_t k = 0; k < count; ++k) {
    const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(whole);
    all.emplace_back(static_cast<Real>(std::cos(angle)), static_cast<Real>(-std::sin(angle)));
  }
  return all;
}

/// A complex number that the compiler keeps in registers and multiplies without a look at
/// infinities.
template <typename Real>
struct Number {
  Real re, im;
  Number operator+(const Number& b) const { return {re + b.re, im + b.im}; }
  Number operator-(const Number& b) const { return {re - b.re, im - b.im}; }
  Number operator*(const Number& b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
  Number conjugate() const { return {re, -im}; }
  Number times_i() const { return {-im, re}; }
  Number half() const { return {re / 2, im / 2}; }
};

/// The elements with equal index of all lines of a block.
template <typename Real>
Number<Real> at(const Real* row, std::int64_t line) {
  return {row[2 * line], row[2 * line + 1]};
}
template <typename Real>
void put(Real* row, std::int64_t line, const Number<Real>& number) {
  row[2 * line] = number.re;
  row[2 * line + 1] = number.im;
}

/// A block of real lines in the caller's array: element n of line l is at n·point + l·line.
template <typename Real>
struct Lines {
  Real* first;
  std::int64_t point;
  std::int64_t line;
  bool are_rows() const { return line == 1; }
};

/// What the loops over a block need to know.
template <typename Real>
struct Transform {
  /// `lines`: those of the largest block.
  Transform(const Work& work, std::int64_t lines)
      : kind(work.kind),
        n(work.axes[0].length),
        m(n % 2 == 0 ? n / 2 : n),
        half(n / 2 + 1),
        width(lines),
        weight(!work.weighted          ? Real(1)
               : is_inverse(work.kind) ? std::numbers::sqrt2_v<Real>
                                       : std::numbers::sqrt2_v<Real> / 2),
        place_in_v(static_cast<std::size_t>(n)),
        turn(turns<Real>(kind == Kind::dht ? 0 : half, 2 * n)),
        root(turns<Real>(n % 2 == 0 ? n / 4 + 1 : 0, n / 2)) {
    for (std::size_t i = 0; i < place_in_v.size(); ++i)
      place_in_v[i] = in_scratch(folded(static_cast<std::int64_t>(i)));
  }

  bool is_even() const { return n % 2 == 0; }
  Number<Real> t(std::int64_t k) const {
    const auto& of_k = turn[static_cast<std::size_t>(k)];
    return {of_k.real(), of_k.imag()};
  }
  Number<Real> w(std::int64_t k) const {
    const auto& of_k = root[static_cast<std::size_t>(k)];
    return {of_k.real(), of_k.imag()};
  }
  /// The place of point i in v.
  std::int64_t folded(std::int64_t i) const {
    if (kind == Kind::dht) return i;
    return i % 2 == 0 ? i / 2 : n - 1 - i / 2;
  }
  /// The place of frequency k in the caller's line.
  std::int64_t place(std::int64_t k) const { return is_sine(kind) ? n - 1 - k : k; }
  /// The place of v[i] in a scratch array: even lines are read as complex numbers.
  std::int64_t in_scratch(std::int64_t i) const {
    return is_even() ? i / 2 * row() + i % 2 : i * width;
  }
  std::int64_t step() const { return is_even() ? 2 : 1; }
  /// Real numbers from one index to the next in a scratch array of complex numbers.
  std::int64_t row() const { return 2 * width; }

  Kind kind;
  std::int64_t n;                        ///< points
  std::int64_t m;                        ///< points of the dft inside
  std::int64_t half;                     ///< numbers of V
  std::int64_t width;                    ///< elements with equal index in a scratch array
  Real weight;                           ///< of frequency 0
  std::vector<std::int64_t> place_in_v;  ///< the place of point i in the scratch array
  std::vector<std::complex<Real>> turn;  ///< t(k)
  std::vector<std::complex<Real>> root;  ///< w(k)
};

/// Calls move(element, place in v, sign) for the points of all lines. Point by point if the lines
/// lie side by side, so that these loops are vector instructions too, otherwise line by line.
template <typename Real, typename Count, typename Move>
TOROID_INTO_ITS_CALLER void for_each_point(const Transform<Real>& t, const Lines<Real>& x,
                                           Count lines, const Move& move) {
  const std::int64_t count = lines;
  const std::int64_t step = t.step();
  const std::int64_t* const places = t.place_in_v.data();
  const Real odd = is_sine(t.kind) ? Real(-1) : Real(1);
  if (x.are_rows()) {
    for (std::int64_t i = 0; i < t.n; ++i) {
      Real* const outer = x.first + i * x.point;
      const std::int64_t inner = places[i];
      const Real sign = i % 2 == 0 ? Real(1) : odd;
      TOROID_INDEPENDENT
      for (std::int64_t l = 0; l < count; ++l) move(outer[l], inner + l * step, sign);
    }
    return;
  }
  for (std::int64_t l = 0; l < lines; ++l) {
    Real* const outer = x.first + l * x.line;
    for (std::int64_t i = 0; i + 1 < t.n; i += 2) {
      move(outer[i * x.point], places[i] + l * step, Real(1));
      move(outer[(i + 1) * x.point], places[i + 1] + l * step, odd);
    }
    if (t.n % 2 == 1) move(outer[(t.n - 1) * x.point], places[t.n - 1] + l * step, Real(1));
  }
}

template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void fold(const Transform<Real>& t, const Lines<Real>& x, Count lines,
                                 Real* v) {
  for_each_point(t, x, lines,
                 [v](Real& outer, std::int64_t inner, Real sign) { v[inner] = sign * outer; });
}
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void unfold(const Transform<Real>& t, const Real* v, Count lines,
                                   const Lines<Real>& y) {
  for_each_point(t, y, lines,
                 [v](Real& outer, std::int64_t inner, Real sign) { outer = sign * v[inner]; });
}

/// Passes the numbers of V but the first and, if n is even, the last: use(k) returns a function
/// that takes the line and V[k].
template <typename Real, typename Count, typename Use>
TOROID_INTO_ITS_CALLER void for_each_frequency(const Transform<Real>& t, Count lines, const Real* z,
                                               const Use& use) {
  const std::int64_t count = lines;
  for (std::int64_t k = 1; !t.is_even() && k < t.half; ++k) {
    const auto of_k = use(k);
    const Real* const row = z + k * t.row();
    TOROID_INDEPENDENT
    for (std::int64_t l = 0; l < count; ++l) of_k(l, at(row, l));
  }
  for (std::int64_t k = 1; t.is_even() && 2 * k <= t.m; ++k) {
    const auto of_k = use(k);
    const auto of_other = use(t.m - k);
    const Real* const row = z + k * t.row();
    const Real* const other = z + (t.m - k) * t.row();
    const Number<Real> w = t.w(k);
    TOROID_INDEPENDENT
    for (std::int64_t l = 0; l < count; ++l) {
      const Number<Real> a = at(row, l);
      const Number<Real> b = at(other, l).conjugate();
      const Number<Real> even = (a + b).half();
      const Number<Real> odd = w * (b - a).half().times_i();
      of_k(l, even + odd);
      of_other(l, (even - odd).conjugate());
    }
  }
}

/// The rows of the result: y[k] and y[n-k] from V[k].
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void from_spectra(const Transform<Real>& t, const Real* z, Count lines,
                                         Real* y, std::int64_t row) {
  constexpr Real kHalfRoot = std::numbers::sqrt2_v<Real> / 2;  // cos(π/4)
  const bool is_hartley = t.kind == Kind::dht;
  for (std::int64_t l = 0; l < lines; ++l) {
    const Number<Real> first = at(z, l);
    y[t.place(0) * row + l] = t.weight * (t.is_even() ? first.re + first.im : first.re);
    if (t.is_even())
      y[t.place(t.n / 2) * row + l] = (is_hartley ? 1 : kHalfRoot) * (first.re - first.im);
  }
  if (is_hartley)
    for_each_frequency(t, lines, z, [&](std::int64_t k) {
      return [low = y + k * row, high = y + (t.n - k) * row](std::int64_t l, Number<Real> v) {
        low[l] = v.re + v.im;
        high[l] = v.re - v.im;
      };
    });
  else
    for_each_frequency(t, lines, z, [&](std::int64_t k) {
      return [turn = t.t(k), low = y + t.place(k) * row, high = y + t.place(t.n - k) * row](
                 std::int64_t l, Number<Real> v) {
        const Number<Real> turned = turn * v;
        low[l] = turned.re;
        high[l] = -turned.im;
      };
    });
}

/// V[k] from the rows x[k] and x[n-k], then Z.
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void to_spectra(const Transform<Real>& t, const Real* x, std::int64_t row,
                                       Count lines, Real* z) {
  const std::int64_t count = lines;
  const auto spectrum_at = [&](std::int64_t k) {
    return [turn = t.t(k).conjugate(), low = x + t.place(k) * row,
            high = x + t.place(t.n - k) * row](std::int64_t l) {
      return turn * Number<Real>{low[l], -high[l]};
    };
  };
  for (std::int64_t l = 0; l < count; ++l) {
    const Real first = t.weight * x[t.place(0) * row + l];
    const Real last =
        t.is_even() ? std::numbers::sqrt2_v<Real> * x[t.place(t.n / 2) * row + l] : Real(0);
    put(z, l, t.is_even() ? Number<Real>{first + last, first - last} : Number<Real>{first, 0});
  }
  for (std::int64_t k = 1; !t.is_even() && k < t.half; ++k) {
    const auto v = spectrum_at(k);
    TOROID_INDEPENDENT
    for (std::int64_t l = 0; l < count; ++l) put(z + k * t.row(), l, v(l));
  }
  for (std::int64_t k = 1; t.is_even() && 2 * k <= t.m; ++k) {
    const auto v = spectrum_at(k);
    const auto v_of_other = spectrum_at(t.m - k);
    Real* const of_k = z + k * t.row();
    Real* const of_other = z + (t.m - k) * t.row();
    const Number<Real> w = t.w(k).conjugate();
    TOROID_INDEPENDENT
    for (std::int64_t l = 0; l < count; ++l) {
      const Number<Real> a = v(l);
      const Number<Real> b = v_of_other(l).conjugate();
      const Number<Real> odd = (w * (a - b)).times_i();
      put(of_k, l, a + b + odd);
      put(of_other, l, (a + b - odd).conjugate());
    }
  }
}

/// Rows of real numbers in a scratch array, one for each point of the lines.
template <typename Real>
struct Rows {
  Real* first;
  std::int64_t width;
};

/// Calls move(element, place in the rows) for all elements of a block, in the order of the caller's
/// memory.
template <typename Real, typename Count, typename Move>
TOROID_INTO_ITS_CALLER void for_each_element(const Lines<Real>& x, std::int64_t n,
                                             std::int64_t width, Count lines, const Move& move) {
  const std::int64_t count = lines;
  if (x.are_rows()) {
    for (std::int64_t i = 0; i < n; ++i) {
      TOROID_INDEPENDENT
      for (std::int64_t l = 0; l < count; ++l) move(x.first[i * x.point + l], i * width + l);
    }
    return;
  }
  for (std::int64_t l = 0; l < lines; ++l)
    for (std::int64_t i = 0; i < n; ++i) move(x.first[i * x.point + l * x.line], i * width + l);
}
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void to_rows(const Lines<Real>& x, std::int64_t n, Count lines,
                                    const Rows<Real>& rows) {
  for_each_element(x, n, rows.width, lines,
                   [to = rows.first](Real& outer, std::int64_t place) { to[place] = outer; });
}
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void from_rows(const Rows<Real>& rows, std::int64_t n, Count lines,
                                      const Lines<Real>& y) {
  for_each_element(y, n, rows.width, lines,
                   [from = rows.first](Real& outer, std::int64_t place) { outer = from[place]; });
}

/// What comes before the dft inside: from the caller's lines to v, or to Z.
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void before_dft(const Transform<Real>& t, const Lines<Real>& x, Count lines,
                                       Real* rows, Real* scratch) {
  if (!is_inverse(t.kind)) return fold(t, x, lines, scratch);
  if (x.are_rows() || lines == 1) return to_spectra(t, x.first, x.point, lines, scratch);
  to_rows(x, t.n, lines, Rows<Real>{rows, t.width});
  to_spectra(t, rows, t.width, lines, scratch);
}

/// What comes after it.
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void after_dft(const Transform<Real>& t, const Real* scratch, Count lines,
                                      Real* rows, const Lines<Real>& y) {
  if (is_inverse(t.kind)) return unfold(t, scratch, lines, y);
  if (y.are_rows() || lines == 1) return from_spectra(t, scratch, lines, y.first, y.point);
  from_spectra(t, scratch, lines, rows, t.width);
  from_rows(Rows<Real>{rows, t.width}, t.n, lines, y);
}

/// Sums and differences of pairs of rows.
template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void add_and_subtract(std::int64_t n, Count lines, const Rows<Real>& rows) {
  const std::int64_t count = lines;
  for (std::int64_t apart = 1; apart < n; apart *= 2)
    for (std::int64_t first = 0; first < n; first += 2 * apart)
      for (std::int64_t i = first; i < first + apart; ++i) {
        Real* const low = rows.first + i * rows.width;
        Real* const high = low + apart * rows.width;
        TOROID_INDEPENDENT
        for (std::int64_t l = 0; l < count; ++l) {
          const Real a = low[l], b = high[l];
          low[l] = a + b;
          high[l] = a - b;
        }
      }
}

template <typename Real, typename Count>
TOROID_INTO_ITS_CALLER void walsh_hadamard(const Lines<Real>& x, std::int64_t n, Count lines,
                                           const Rows<Real>& rows, const Lines<Real>& y) {
  to_rows(x, n, lines, rows);
  add_and_subtract(n, lines, rows);
  from_rows(rows, n, lines, y);
}

// A template cannot be compiled for several processors, so each precision has its functions.
#define TOROID_FOR_EACH_PROCESSOR(Real)                                                   \
  TOROID_ALSO_FOR_AVX2 void before(const Transform<Real>& t, const Lines<Real>& x,        \
                                   std::int64_t lines, Real* rows, Real* scratch) {       \
    if (lines == kLines) return before_dft(t, x, FullBlock(), rows, scratch);             \
    before_dft(t, x, lines, rows, scratch);                                               \
  }                                                                                       \
  TOROID_ALSO_FOR_AVX2 void after(const Transform<Real>& t, const Real* scratch,          \
                                  std::int64_t lines, Real* rows, const Lines<Real>& y) { \
    if (lines == kLines) return after_dft(t, scratch, FullBlock(), rows, y);              \
    after_dft(t, scratch, lines, rows, y);                                                \
  }                                                                                       \
  TOROID_ALSO_FOR_AVX2 void transform_walsh(const Lines<Real>& x, std::int64_t n,         \
                                            std::int64_t lines, const Rows<Real>& rows,   \
                                            const Lines<Real>& y) {                       \
    if (lines == kLines)                                                                  \
      return walsh_hadamard(x, n, FullBlock(), Rows<Real>{rows.first, kLines}, y);        \
    walsh_hadamard(x, n, lines, rows, y);                                                 \
  }
TOROID_FOR_EACH_PROCESSOR(double)
TOROID_FOR_EACH_PROCESSOR(float)
#undef TOROID_FOR_EACH_PROCESSOR

/// An array that grows as needed; its content is not kept.
class GrowingArray {
 public:
  template <typename Real>
  Real* of(std::int64_t elements) {
    const auto bytes = static_cast<std::size_t>(elements) * sizeof(Real);
    if (array_.size() * sizeof(Complex) < bytes) array_ = LocalArray::of_bytes(bytes);
    return array_.as<Real>();
  }

 private:
  LocalArray array_{0};
};

/// A thread's scratch arrays.
struct Scratch {
  GrowingArray rows, points, spectra;

  static Scratch& of_this_thread() {
    thread_local Scratch scratch;
    return scratch;
  }
};

template <typename Real>
class RealLines : public Kernel {
 public:
  explicit RealLines(const Work& work) : blocks_(work), in_place_(work.in_place) {}

  void run(const void* in, void* out) const override {
    TOROID_CHECK_EQ(in == out, in_place_);
    Scratch& scratch = Scratch::of_this_thread();
    const Axis& point = blocks_.line();
    const Axis& line = blocks_.row();
    blocks_.for_each(
        static_cast<const Real*>(in), static_cast<Real*>(out),
        [&](std::int64_t lines, const Real* from, Real* to) {
          // nothing writes through `x`
          const Lines<Real> x{const_cast<Real*>(from), point.in_stride, line.in_stride};
          transform(lines, x, {to, point.out_stride, line.out_stride}, scratch);
        });
  }

 protected:
  std::int64_t lines_of_row() const { return blocks_.row().length; }
  /// The lines of the largest block.
  std::int64_t width() const { return std::min(kLines, lines_of_row()); }

 private:
  virtual void transform(std::int64_t lines, const Lines<Real>& x, const Lines<Real>& y,
                         Scratch& scratch) const = 0;

  LineBlocks blocks_;
  bool in_place_;
};

template <typename Real>
class ByFourier final : public RealLines<Real> {
 public:
  ByFourier(const Work& work, Rigor rigor, const Library& library)
      : RealLines<Real>(work), transform_(work, this->width()) {
    const std::int64_t row = this->lines_of_row();
    if (row >= kLines) full_ = library.plan(inner(work.precision, kLines), rigor);
    if (row % kLines > 0) rest_ = library.plan(inner(work.precision, row % kLines), rigor);
  }

 private:
  /// The dft of a block of lines.
  Work inner(Precision precision, std::int64_t lines) const {
    const bool inverse = is_inverse(transform_.kind);
    Work work;
    work.precision = precision;
    work.in_place = false;
    if (transform_.is_even())
      work.kind = inverse ? Kind::inverse : Kind::forward;
    else
      work.kind = inverse ? Kind::half_to_real : Kind::real_to_half;
    work.axes[0] = {lines, 1, 1, false};
    work.axes[1] = {transform_.m, transform_.width, transform_.width, true};
    return work;
  }

  void transform(std::int64_t lines, const Lines<Real>& x, const Lines<Real>& y,
                 Scratch& scratch) const override {
    const Kernel& dft = lines == kLines ? *full_ : *rest_;
    const bool inverse = is_inverse(transform_.kind);
    const bool needs_rows = lines > 1 && !(inverse ? x : y).are_rows();
    const std::int64_t reals = transform_.n * transform_.width;
    Real* const rows = scratch.rows.of<Real>(needs_rows ? reals : 0);
    Real* const points = scratch.points.of<Real>(reals);
    Real* const spectra = scratch.spectra.of<Real>(transform_.half * transform_.row());
    before(transform_, x, lines, rows, inverse ? spectra : points);
    inverse ? dft.run(spectra, points) : dft.run(points, spectra);
    after(transform_, inverse ? points : spectra, lines, rows, y);
  }

  Transform<Real> transform_;
  std::shared_ptr<const Kernel> full_, rest_;
};

template <typename Real>
class WalshHadamard final : public RealLines<Real> {
 public:
  explicit WalshHadamard(const Work& work) : RealLines<Real>(work), n_(work.axes[0].length) {}

 private:
  void transform(std::int64_t lines, const Lines<Real>& x, const Lines<Real>& y,
                 Scratch& scratch) const override {
    const std::int64_t width = this->width();
    transform_walsh(x, n_, lines, {scratch.rows.of<Real>(n_ * width), width}, y);
  }

  std::int64_t n_;
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
