#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <unsupported/Eigen/FFT>
#include <utility>

#include "fft/kernels/caching_library.hpp"
#include "fft/kernels/copy_kernel.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/kernels/kernel_work.hpp"
#include "fft/kernels/kissfft.hpp"
#include "fft/kernels/line_blocks.hpp"
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
  GatheredLines lines;
};

template <typename Real>
ThreadState<Real>& of_this_thread() {
  thread_local ThreadState<Real> state;
  return state;
}

/// Transforms one axis, line by line.
template <typename Real, Kind kKind>
class LineKernel final : public Kernel {
  using Complex = std::complex<Real>;
  using In = std::conditional_t<kKind == Kind::real_to_half, Real, Complex>;
  using Out = std::conditional_t<kKind == Kind::half_to_real, Real, Complex>;
  using Blocks = LineBlocks<In, Out>;

 public:
  /// REQUIRES: the work is simplified, with one transformed axis, and not empty.
  explicit LineKernel(const Work& work)
      : length_(work.axes[0].length),
        blocks_(work, kKind == Kind::half_to_real ? length_ / 2 + 1 : length_,
                kKind == Kind::real_to_half ? length_ / 2 + 1 : length_) {
    TOROID_CHECK_LE(length_, std::numeric_limits<int>::max());
  }

  void run(const void* in, void* out) const override {
    ThreadState<Real>& state = of_this_thread<Real>();
    blocks_.run(static_cast<const In*>(in), static_cast<Out*>(out), state.lines,
                [&](const typename Blocks::Block& block) {
                  for (std::int64_t l = 0; l < block.lines; ++l)
                    transform(state.transforms, block.in + l * block.in_step,
                              block.out + l * block.out_step);
                });
  }

 private:
  /// Lines of one point are copied, because KissFFT does not handle them. Only works of a real kind
  /// have such lines here, because simplified() drops other axes of length 1.
  void transform(Eigen::FFT<Real>& transforms, const In* in, Out* out) const {
    if (length_ == 1)
      *reinterpret_cast<Real*>(out) = *reinterpret_cast<const Real*>(in);
    else if constexpr (kKind == Kind::forward || kKind == Kind::real_to_half)
      transforms.fwd(out, in, length_);
    else
      transforms.inv(out, in, length_);
    if constexpr (kKind == Kind::real_to_half)
      if (length_ == 1) out->imag(0);
  }

  std::int64_t length_;
  Blocks blocks_;
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
