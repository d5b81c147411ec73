// Copies of many lengths. The distance between source and target takes many values modulo the size
// of a page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hal/copy_bytes.hpp"

namespace toroid {
namespace {

void expect_copied(std::size_t from, std::size_t to, std::size_t bytes) {
  std::vector<std::byte> memory(5 * 4096);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 29 % 253);
  std::vector<std::byte> expected = memory;
  std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(from), bytes,
              expected.begin() + static_cast<std::ptrdiff_t>(to));
  copy_bytes(memory.data() + to, memory.data() + from, bytes);
  ASSERT_TRUE(memory == expected) << bytes << " bytes from " << from << " to " << to;
}

TEST(CopyBytes, CopiesAnyLengthToAnyDistanceModuloAPage) {
  for (const std::size_t behind : {0u, 1u, 15u, 16u, 63u, 64u, 65u, 4095u})
    for (const std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 2047u, 2048u, 2049u, 4096u, 5000u})
      for (const std::size_t from : {0u, 7u}) expect_copied(from, from + 8192 + behind, bytes);
}

}  // namespace
}  // namespace toroid
