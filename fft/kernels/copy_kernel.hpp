// A copy from array to array without a library.
#pragma once

#include <cstdint>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/strided_copy.hpp"

namespace toroid::fft::local {

/// Copies the elements. If the fastest axes of the two arrays differ, it copies in blocks of cache
/// lines; FFTW takes 1.5 times as long in that case.
class CopyKernel final : public Kernel {
 public:
  /// REQUIRES: input and output have equally many elements, of equal size.
  explicit CopyKernel(const Work& work);
  void run(const void* in, void* out) const override;

 private:
  std::uint32_t bytes_;
  std::int64_t elements_ = 1;
  NestedLoops loops_;
};

}  // namespace toroid::fft::local
