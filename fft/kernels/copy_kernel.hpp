// A copy from array to array that needs no library.
#pragma once

#include <cstdint>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/strided_copy.hpp"

namespace toroid::fft::local {

/// Copies the elements, in blocks of cache lines where the fastest axes of the arrays differ: FFTW
/// takes half as long again there.
class CopyKernel final : public Kernel {
 public:
  /// REQUIRES: as many elements on both sides, of the size of those that are read.
  explicit CopyKernel(const Work& work);
  void run(const void* in, void* out) const override;

 private:
  std::uint32_t bytes_;
  std::int64_t elements_ = 1;
  NestedLoops loops_;
};

}  // namespace toroid::fft::local
