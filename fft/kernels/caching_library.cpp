#include "fft/kernels/caching_library.hpp"

#include "fft/kernels/kernel_work.hpp"
#include "fft/kernels/real_to_real.hpp"

namespace toroid::fft::local {
namespace {

/// Does nothing. This is the kernel for an empty array, and for a copy of an array onto itself.
class Nothing final : public Kernel {
 public:
  void run(const void*, void*) const override {}
};

}  // namespace

std::shared_ptr<const Kernel> CachingLibrary::plan(const Work& work, Rigor rigor) const {
  static const auto nothing = std::make_shared<const Nothing>();
  check(work);
  if (holds_nothing(work)) return nothing;
  const Work same = simplified(work);
  if (same.in_place && !transforms(same)) return nothing;
  const std::lock_guard lock(mutex_);  // a real transform plans a complex one
  std::shared_ptr<const Kernel>& kernel = kernels_[{same, rigor}];
  if (kernel == nullptr)
    kernel = is_real_to_real(same.kind) && transforms(same) ? real_to_real(same, rigor, *this)
                                                            : make(same, rigor);
  return kernel;
}

}  // namespace toroid::fft::local
