#include "fft/kernels/copy_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "fft/kernels/kernel_work.hpp"

namespace toroid::fft::local {

CopyKernel::CopyKernel(const Work& work)
    : bytes_(static_cast<std::uint32_t>(element_bytes(work, Side::in))) {
  std::vector<CopyLoop> loops;
  for (const Axis& axis : work.axes) {
    elements_ *= axis.length;
    if (axis.length > 1) loops.push_back({axis.length, axis.in_stride, axis.out_stride});
  }
  std::ranges::sort(loops, std::ranges::greater{}, &CopyLoop::to_stride);
  for (const CopyLoop& loop : loops) loops_.push(loop);
}

void CopyKernel::run(const void* in, void* out) const {
  copy_strided(loops_, {0, elements_}, bytes_, static_cast<const std::byte*>(in),
               static_cast<std::byte*>(out));
}

}  // namespace toroid::fft::local
