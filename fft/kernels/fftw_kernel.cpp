#include <fftw3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "fft/kernels/caching_library.hpp"
#include "fft/kernels/fftw.hpp"
#include "fft/kernels/fftw_api.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/kernels/kernel_work.hpp"
#include "fft/layout/local_array.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

constexpr std::size_t kCacheLine = 64;

/// Which of FFTW's interfaces performs a work. If no axis is transformed, `complex` and `real` only
/// copy.
enum class Form : std::uint8_t { complex, real_to_half, half_to_real, real };

Form form_of(const Work& work) {
  if (is_real_to_real(work.kind)) return Form::real;
  if (!is_halved(work.kind)) return Form::complex;
  if (!transforms(work)) return Form::real;
  return work.kind == Kind::real_to_half ? Form::real_to_half : Form::half_to_real;
}

/// The transformed axes of a work, or its other axes, in FFTW's form. A halved axis comes last.
struct Dimensions {
  Dimensions(const Work& work, bool transformed) {
    for (const Axis& axis : work.axes)
      if (axis.transformed == transformed && (transformed || axis.length != 1))
        dims[static_cast<std::size_t>(count++)] = {axis.length, axis.in_stride, axis.out_stride};
  }
  std::array<fftw_iodim64, kMaxLocalAxes> dims{};  // the type is the same in single precision
  int count = 0;
};

template <typename Real>
class Plan {
  using Api = Fftw<Real>;
  using Complex = typename Api::Complex;

 public:
  /// REQUIRES: `planner` is held, both here and when the plan is destroyed.
  Plan(const Work& work, void* in, void* out, unsigned flags)
      : form_(form_of(work)), plan_(make(work, in, out, flags)) {
    TOROID_CHECK(plan_ != nullptr);
  }

  /// FFTW's signatures have no const. Kernel::run says which arrays are changed.
  void run(const void* from, void* out) const {
    void* in = const_cast<void*>(from);
    switch (form_) {
      case Form::complex:
        return Api::run_complex(plan_.get(), to<Complex>(in), to<Complex>(out));
      case Form::real_to_half:
        return Api::run_real_to_half(plan_.get(), to<Real>(in), to<Complex>(out));
      case Form::half_to_real:
        return Api::run_half_to_real(plan_.get(), to<Complex>(in), to<Real>(out));
      case Form::real:
        return Api::run_real(plan_.get(), to<Real>(in), to<Real>(out));
    }
  }

 private:
  struct Destroy {
    void operator()(typename Api::Plan* plan) const { Api::destroy(plan); }
  };

  template <typename Element>
  static Element* to(void* data) {
    return static_cast<Element*>(data);
  }

  typename Api::Plan* make(const Work& work, void* in, void* out, unsigned flags) const {
    const Dimensions lines(work, true), batches(work, false);
    const auto call = [&](auto plan, auto* from, auto* into, auto... what) {
      return plan(lines.count, lines.dims.data(), batches.count, batches.dims.data(), from, into,
                  what...);
    };
    const int sign = work.kind == Kind::inverse ? FFTW_BACKWARD : FFTW_FORWARD;
    const unsigned keep = flags | FFTW_PRESERVE_INPUT;
    switch (form_) {
      case Form::complex:
        return call(Api::plan_complex, to<Complex>(in), to<Complex>(out), sign, keep);
      case Form::real_to_half:
        return call(Api::plan_real_to_half, to<Real>(in), to<Complex>(out), keep);
      case Form::half_to_real:
        return call(Api::plan_half_to_real, to<Complex>(in), to<Real>(out),
                    flags | FFTW_DESTROY_INPUT);
      case Form::real:
        return call(Api::plan_real, to<Real>(in), to<Real>(out),
                    static_cast<const fftw_r2r_kind*>(nullptr), keep);
    }
    return nullptr;
  }

  Form form_;
  std::unique_ptr<typename Api::Plan, Destroy> plan_;
};

/// Arrays that FFTW's planner uses. It overwrites them if it measures. If it estimates, it only
/// reads their alignment, so they are empty.
class Scratch {
 public:
  Scratch(const Work& work, unsigned flags)
      : in_place_(work.in_place),
        in_(elements(work, Side::in, flags)),
        out_(in_place_ ? 0 : elements(work, Side::out, flags)) {}
  void* in() { return in_.data(); }
  void* out() { return in_place_ ? in_.data() : out_.data(); }

 private:
  static std::size_t elements(const Work& work, Side side, unsigned flags) {
    if ((flags & FFTW_ESTIMATE) != 0) return 0;
    return reach_bytes(work, side) / sizeof(fft::Complex) + 1;
  }
  bool in_place_;
  LocalArray in_, out_;
};

template <typename Real>
class FftwKernel final : public Kernel {
 public:
  FftwKernel(const Tiling& tiling, unsigned flags)
      : FftwKernel(tiling, tiling.tile.aligned ? flags : flags | FFTW_UNALIGNED,
                   Scratch(tiling.tile, flags)) {}

  void run(const void* in, void* out) const override {
    TOROID_CHECK_EQ(in == out, in_place_);
    check_aligned(in);
    check_aligned(out);
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(out);
    for (std::int64_t tile = 0; tile < tiles_; ++tile, from += step_.in, to += step_.out) {
      fetch(from);
      plan_.run(from, to);
    }
  }

 private:
  FftwKernel(const Tiling& tiling, unsigned flags, Scratch scratch)
      : in_place_(tiling.tile.in_place),
        aligned_(tiling.tile.aligned),
        step_(tiling.step),
        tiles_(tiling.tiles),
        rows_(tiling.rows),
        plan_(tiling.tile, scratch.in(), scratch.out(), flags) {}

  void check_aligned(const void* data) const {
    if (aligned_)
      TOROID_CHECK_EQ(Fftw<Real>::alignment_of(static_cast<Real*>(const_cast<void*>(data))), 0);
  }

  /// Prefetches all lines of a tile into the first-level cache, because a transform reads them in
  /// an order that the hardware does not predict.
  void fetch(const std::byte* tile) const {
    for (std::int64_t row = 0; row < rows_.count; ++row, tile += rows_.step)
      for (std::size_t at = 0; at < rows_.bytes; at += kCacheLine) __builtin_prefetch(tile + at);
  }

  bool in_place_;
  bool aligned_;
  TileStep step_;
  std::int64_t tiles_;
  TileRows rows_;
  Plan<Real> plan_;
};

class FftwLibrary final : public CachingLibrary {
 public:
  /// Plans without simplifying the work, to share as little as possible with the code under test.
  void run_once(const Work& work, const void* in, void* out) const override {
    TOROID_CHECK(work.precision == Precision::double_);
    std::unique_lock lock(planner);
    const Plan<double> plan(work, const_cast<void*>(in), out, FFTW_ESTIMATE);
    lock.unlock();
    plan.run(in, out);
    lock.lock();
  }

 private:
  /// Kernels live until the process ends. Nothing is planned at that time, so they are destroyed
  /// without the planner's lock.
  std::shared_ptr<const Kernel> make(const Work& work, Rigor rigor) const override {
    const std::lock_guard lock(planner);
    return made(work, rigor);
  }
  static std::shared_ptr<const Kernel> made(const Work& work, Rigor rigor) {
    const bool measured = rigor == Rigor::measure;
    if (measured && goes_in_passes(work))
      return std::make_shared<TwoPasses>(made(simplified(first_pass(work)), rigor),
                                         made(simplified(other_passes(work)), rigor));
    const Tiling tiles = measured ? tiling(work) : Tiling{work};
    const unsigned flags = measured ? FFTW_MEASURE : FFTW_ESTIMATE;
    if (work.precision == Precision::single)
      return std::make_shared<FftwKernel<float>>(tiles, flags);
    return std::make_shared<FftwKernel<double>>(tiles, flags);
  }
};

}  // namespace

const Library* fftw() {
  static const FftwLibrary library;
  return &library;
}

}  // namespace toroid::fft::local
