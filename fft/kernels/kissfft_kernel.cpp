#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <unsupported/Eigen/FFT>
#include <utility>
#include <vector>

#include "fft/kernels/caching_library.hpp"
#include "fft/kernels/copy_kernel.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/kernels/kernel_work.hpp"
#include "fft/kernels/kissfft.hpp"
#include "fft/kernels/line_blocks.hpp"
#include "fft/layout/strided_copy.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

/// A thread's transforms. KissFFT's plans contain scratch memory, so each thread has its own plans.
/// A plan is made when the thread first needs its length, and lives until the thread ends.
template <typename Real>
struct ThreadState {
  ThreadState() {
    transforms.SetFlag(Eigen::FFT<Real>::Unscaled);
    transforms.SetFlag(Eigen::FFT<Real>::HalfSpectrum);
  }
  Eigen::FFT<Real> transforms;
  std::vector<std::complex<Real>> in, out;  ///< gathered lines, and their results
};

template <typename Real>
ThreadState<Real>& of_this_thread() {
  thread_local ThreadState<Real> state;
  return state;
}

/// Transforms one axis. Lines are gathered, transformed and scattered several at a time, so that
/// neighbouring lines share cache lines. Contiguous lines are not copied.
template <typename Real, Kind kKind>
class LineKernel final : public Kernel {
  using Complex = std::complex<Real>;
  using In = std::conditional_t<kKind == Kind::real_to_half, Real, Complex>;
  using Out = std::conditional_t<kKind == Kind::half_to_real, Real, Complex>;

 public:
  /// REQUIRES: the work is simplified, with one transformed axis, and not empty.
  explicit LineKernel(const Work& work)
      : blocks_(work), line_(blocks_.line()), row_(blocks_.row()), in_place_(work.in_place) {
    TOROID_CHECK_LE(line_.length, std::numeric_limits<int>::max());
  }

  void run(const void* in, void* out) const override {
    TOROID_CHECK_EQ(in == out, in_place_);
    blocks_.for_each(
        static_cast<const In*>(in), static_cast<Out*>(out),
        [this](std::int64_t lines, const In* from, Out* to) { run_lines(lines, from, to); });
  }

 private:
  static std::int64_t half(std::int64_t length) { return length / 2 + 1; }
  std::int64_t in_length() const {
    return kKind == Kind::half_to_real ? half(line_.length) : line_.length;
  }
  std::int64_t out_length() const {
    return kKind == Kind::real_to_half ? half(line_.length) : line_.length;
  }

  void run_lines(std::int64_t lines, const In* in, Out* out) const {
    ThreadState<Real>& state = of_this_thread<Real>();
    const bool gathers = line_.in_stride != 1;
    const bool scatters = line_.out_stride != 1 || in_place_;
    In* const gathered = room<In>(state.in, gathers ? lines * in_length() : 0);
    Out* const transformed = room<Out>(state.out, scatters ? lines * out_length() : 0);
    if (gathers)
      copy({lines, row_.in_stride, in_length()}, {in_length(), line_.in_stride, 1}, in, gathered);
    for (std::int64_t l = 0; l < lines; ++l)
      transform(state.transforms, gathers ? gathered + l * in_length() : in + l * row_.in_stride,
                scatters ? transformed + l * out_length() : out + l * row_.out_stride);
    if (scatters)
      copy({lines, out_length(), row_.out_stride}, {out_length(), 1, line_.out_stride}, transformed,
           out);
  }

  template <typename Element>
  static Element* room(std::vector<Complex>& memory, std::int64_t elements) {
    if (memory.size() < static_cast<std::size_t>(elements))
      memory.resize(static_cast<std::size_t>(elements));
    return reinterpret_cast<Element*>(memory.data());
  }

  template <typename Element>
  static void copy(CopyLoop outer, CopyLoop inner, const Element* from, Element* to) {
    if (outer.to_stride < inner.to_stride) std::swap(outer, inner);
    NestedLoops loops;
    loops.push(outer);
    loops.push(inner);
    copy_strided(loops, {0, outer.count * inner.count}, sizeof(Element),
                 reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to));
  }

  /// Lines of one point are copied, because KissFFT does not handle them. Only works of a real kind
  /// have such lines here, because simplified() drops other axes of length 1.
  void transform(Eigen::FFT<Real>& transforms, const In* in, Out* out) const {
    if (line_.length == 1)
      *reinterpret_cast<Real*>(out) = *reinterpret_cast<const Real*>(in);
    else if constexpr (kKind == Kind::forward || kKind == Kind::real_to_half)
      transforms.fwd(out, in, line_.length);
    else
      transforms.inv(out, in, line_.length);
    if constexpr (kKind == Kind::real_to_half)
      if (line_.length == 1) out->imag(0);
  }

  LineBlocks blocks_;
  Axis line_;
  Axis row_;
  bool in_place_;
};

/// Runs `first` in place in the source, which may be destroyed, then `last` from array to array.
class InSourceFirst final : public Kernel {
 public:
  InSourceFirst(std::shared_ptr<const Kernel> first, std::shared_ptr<const Kernel> last)
      : first_(std::move(first)), last_(std::move(last)) {}
  void run(const void* in, void* out) const override {
    first_->run(in, const_cast<void*>(in));
    last_->run(in, out);
  }

 private:
  std::shared_ptr<const Kernel> first_;
  std::shared_ptr<const Kernel> last_;
};

template <typename Real>
std::shared_ptr<const Kernel> line_kernel(const Work& work) {
  switch (work.kind) {
    case Kind::forward:
      return std::make_shared<LineKernel<Real, Kind::forward>>(work);
    case Kind::inverse:
      return std::make_shared<LineKernel<Real, Kind::inverse>>(work);
    case Kind::real_to_half:
      return std::make_shared<LineKernel<Real, Kind::real_to_half>>(work);
    case Kind::half_to_real:
      return std::make_shared<LineKernel<Real, Kind::half_to_real>>(work);
    default:
      return nullptr;  // real_to_real.hpp has the kernels of the other kinds
  }
}

/// Makes a kernel. The halved axis is transformed first if the input is real, and last if the
/// output is real.
std::shared_ptr<const Kernel> made(const Work& work) {
  if (!transforms(work)) return std::make_shared<CopyKernel>(work);
  const bool several = std::ranges::count(work.axes, true, &Axis::transformed) > 1;
  if (several && work.kind == Kind::half_to_real)
    return std::make_shared<InSourceFirst>(made(simplified(passes_before_real(work))),
                                           made(simplified(first_pass(work))));
  if (several)
    return std::make_shared<TwoPasses>(made(simplified(first_pass(work))),
                                       made(simplified(other_passes(work))));
  return work.precision == Precision::single ? line_kernel<float>(work) : line_kernel<double>(work);
}

class KissFft final : public CachingLibrary {
 public:
  void run_once(const Work& work, const void* in, void* out) const override {
    plan(work, Rigor::estimate)->run(in, out);
  }

 private:
  std::shared_ptr<const Kernel> make(const Work& work, Rigor) const override { return made(work); }
};

}  // namespace

const Library& kissfft() {
  static const KissFft library;
  return library;
}

}  // namespace toroid::fft::local
