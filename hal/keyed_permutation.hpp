// A keyed permutation that is evaluated, not stored: memory does not grow with its length.
#pragma once

#include <cstdint>

namespace toroid {

/// For every key, a permutation of 0..count-1. It is a four-round Feistel network on the smallest
/// even number of bits that can hold `count`. The network is applied again until the result is
/// below `count` (cycle walking), on average at most four times.
class KeyedPermutation {
 public:
  /// REQUIRES: count < 2^31.
  KeyedPermutation(std::uint32_t count, std::uint64_t key);

  std::uint32_t count() const { return count_; }
  /// REQUIRES, for both: i < count().
  std::uint32_t operator()(std::uint32_t i) const;
  std::uint32_t inverse(std::uint32_t i) const;

 private:
  std::uint32_t mask() const { return (std::uint32_t{1} << half_bits_) - 1; }
  std::uint32_t mixed(std::uint64_t round, std::uint32_t half) const;
  std::uint32_t forward(std::uint32_t i) const;
  std::uint32_t backward(std::uint32_t i) const;

  std::uint32_t count_;
  std::uint64_t key_;
  unsigned half_bits_;
};

}  // namespace toroid
