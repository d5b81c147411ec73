// Division by a number that is known long before, without the divide instruction.
#pragma once

#include <cstdint>

namespace toroid {

/// Exact for every 32-bit dividend and divisor: with m = floor((2^64 - 1) / d), the quotient of n
/// is floor((n + 1)·m / 2^64), because what m lacks is less than 2^-32 of a quotient.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(std::uint32_t d) : value_(d), multiplier_(~std::uint64_t{0} / d) {}

  std::uint32_t value() const { return value_; }
  std::uint32_t quotient(std::uint32_t n) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>((Wide{n} + 1) * multiplier_ >> 64);
  }

 private:
  std::uint32_t value_ = 1;
  std::uint64_t multiplier_ = ~std::uint64_t{0};
};

}  // namespace toroid
