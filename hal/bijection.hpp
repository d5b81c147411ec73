// A keyed permutation that is evaluated, not stored: memory does not grow with its length.
#pragma once

#include <cstdint>

namespace toroid {

/// A permutation of 0..count-1 for every key: a four-round Feistel network on the next even number
/// of bits, repeated until the result is below `count` (cycle walking). Fewer than four passes on
/// average.
class Bijection {
 public:
  /// REQUIRES: count < 2^31.
  Bijection(std::uint32_t count, std::uint64_t key);

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
