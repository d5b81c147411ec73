// The common part of the libraries: it keeps kernels, so that each is made only once, and defines
// kernels that do not depend on the library.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "fft/kernels/kernel.hpp"

namespace toroid::fft::local {

/// Runs one kernel from array to array, then another in place in the output array.
class TwoPasses final : public Kernel {
 public:
  TwoPasses(std::shared_ptr<const Kernel> first, std::shared_ptr<const Kernel> others)
      : first_(std::move(first)), others_(std::move(others)) {}
  void run(const void* in, void* out) const override {
    first_->run(in, out);
    others_->run(out, out);
  }

 private:
  std::shared_ptr<const Kernel> first_;
  std::shared_ptr<const Kernel> others_;
};

/// A library that keeps its kernels until the process ends. Kernels of real-to-real transforms are
/// the same for every library (real_to_real.hpp).
class CachingLibrary : public Library {
 public:
  std::shared_ptr<const Kernel> plan(const Work& work, Rigor rigor) const final;

 private:
  /// Makes a kernel. `work` is simplified and not empty, and is no real-to-real transform. Only one
  /// thread calls this at a time.
  virtual std::shared_ptr<const Kernel> make(const Work& work, Rigor rigor) const = 0;

  mutable std::recursive_mutex mutex_;  ///< guards `kernels_`
  mutable std::map<std::pair<Work, Rigor>, std::shared_ptr<const Kernel>> kernels_;
};

}  // namespace toroid::fft::local
