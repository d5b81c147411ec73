// The 64-bit hash: values of the reference implementation, and bytes that are added in pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hal/hash64.hpp"

namespace toroid::testing {
namespace {

std::uint64_t hash_of(std::string_view text) {
  return hash64(std::as_bytes(std::span(text)));
}

TEST(Hash64, HasTheValuesOfTheReference) {
  EXPECT_EQ(hash_of(""), 0xef46db3751d8e999);
  EXPECT_EQ(hash_of("a"), 0xd24ec4f1a98c6e5b);
  EXPECT_EQ(hash_of("abc"), 0x44bc2cf5ad770999);
  EXPECT_EQ(hash_of("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1);
}

TEST(Hash64, DoesNotDependOnHowTheBytesAreCut) {
  std::vector<std::byte> bytes(200);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 37 + 11);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    for (const std::size_t second : {std::size_t{0}, std::size_t{1}, std::size_t{31}}) {
      Hash64 hash;
      const std::span all(bytes);
      const std::size_t end = std::min(cut + second, all.size());
      hash.add(all.first(cut));
      hash.add(all.subspan(cut, end - cut));
      hash.add(all.subspan(end));
      EXPECT_EQ(hash.value(), hash64(all)) << cut << " + " << second;
      EXPECT_EQ(hash.bytes(), bytes.size());
    }
}

TEST(Hash64, DiffersForEveryChangedByteAndLength) {
  std::vector<std::byte> bytes(100);
  const std::uint64_t before = hash64(bytes);
  for (std::byte& byte : bytes) {
    byte = std::byte{1};
    EXPECT_NE(hash64(bytes), before);
    byte = std::byte{0};
  }
  EXPECT_NE(hash64(std::span(bytes).first(99)), before);
}

}  // namespace
}  // namespace toroid::testing
