// The memory of a node that others may write to, as windows have noted it.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace toroid {

class ExposedMemory {
 public:
  /// False: some of it is noted already, and nothing has changed.
  [[nodiscard]] bool try_add(std::span<const std::byte> memory) {
    const std::less<const std::byte*> before;
    for (const std::span<const std::byte> other : all_)
      if (before(memory.data(), other.data() + other.size()) &&
          before(other.data(), memory.data() + memory.size()))
        return false;
    if (!memory.empty()) all_.push_back(memory);
    return true;
  }

 private:
  std::vector<std::span<const std::byte>> all_;
};

}  // namespace toroid
