// Bounds of a traffic that have been computed already. Runs that share the traffic, such as those
// of a campaign under several policies, need not compute them again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// All calls may come from several threads. If several threads ask for the same bounds at the same
/// time, one of them computes, and the others wait.
class KnownBounds {
 public:
  /// The bounds on this machine and shape, from compute() if they are not known. `question` tells
  /// bounds of different kinds apart.
  Bounds get(const Machine& machine, const Shape& shape, unsigned question,
             const std::function<Bounds()>& compute);

  using Resized = std::uint64_t (*)(std::uint64_t bytes);
  /// The bounds of the same traffic with messages of resized(n) bytes in place of n.
  KnownBounds& of_resized(Resized resized);

 private:
  struct Known {
    Machine machine;
    Shape shape;
    unsigned question;
    Bounds bounds;
  };

  std::mutex mutex_;
  std::vector<Known> known_;
  std::map<Resized, std::unique_ptr<KnownBounds>> resized_;
};

}  // namespace toroid
