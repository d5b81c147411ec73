// The memory of a node that other nodes may write. Windows register it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "hal/check.hpp"

namespace toroid {

class ExposedMemory {
 public:
  /// Returns false, and changes nothing, if some of the memory is registered already.
  [[nodiscard]] bool try_add(std::span<const std::byte> memory) {
    const std::less<const std::byte*> before;
    for (const std::span<const std::byte> other : all_)
      if (before(memory.data(), other.data() + other.size()) &&
          before(other.data(), memory.data() + memory.size()))
        return false;
    if (!memory.empty()) all_.push_back(memory);
    return true;
  }

  /// REQUIRES: the memory was registered as a whole.
  void remove(std::span<const std::byte> memory) {
    const std::size_t removed = std::erase_if(all_, [&](std::span<const std::byte> one) {
      return one.data() == memory.data() && one.size() == memory.size();
    });
    TOROID_CHECK(removed == 1 || memory.empty());
  }

 private:
  std::vector<std::span<const std::byte>> all_;
};

}  // namespace toroid
