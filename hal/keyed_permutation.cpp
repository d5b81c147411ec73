#include "hal/keyed_permutation.hpp"

#include <bit>
#include <utility>

#include "hal/random.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kRounds = 4;

}  // namespace

KeyedPermutation::KeyedPermutation(std::uint32_t count, std::uint64_t key)
    : count_(count),
      key_(key),
      half_bits_((static_cast<unsigned>(std::bit_width(count)) + 1) / 2) {}

std::uint32_t KeyedPermutation::operator()(std::uint32_t i) const {
  do i = forward(i);
  while (i >= count_);
  return i;
}

std::uint32_t KeyedPermutation::inverse(std::uint32_t i) const {
  do i = backward(i);
  while (i >= count_);
  return i;
}

std::uint32_t KeyedPermutation::mixed(std::uint64_t round, std::uint32_t half) const {
  return static_cast<std::uint32_t>(mix64(key_ + (round << 32) + half) >> 32) & mask();
}

std::uint32_t KeyedPermutation::forward(std::uint32_t i) const {
  std::uint32_t left = i >> half_bits_;
  std::uint32_t right = i & mask();
  for (std::uint64_t round = 0; round < kRounds; ++round)
    left = std::exchange(right, left ^ mixed(round, right));
  return left << half_bits_ | right;
}

std::uint32_t KeyedPermutation::backward(std::uint32_t i) const {
  std::uint32_t left = i >> half_bits_;
  std::uint32_t right = i & mask();
  for (std::uint64_t round = kRounds; round-- > 0;)
    right = std::exchange(left, right ^ mixed(round, left));
  return left << half_bits_ | right;
}

}  // namespace toroid
