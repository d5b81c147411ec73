// A 64-bit hash of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace toroid {

/// XXH64 with seed 0, by Yann Collet: the hash of all bytes that were added, however they were cut.
/// It tells accidental differences, not those of an adversary: two different inputs have equal
/// hashes with a probability of 2^-64. A CRC would not do: 32 bits are too few to tell many files
/// apart, and it is linear, so that two changes may cancel.
/// Source: github.com/Cyan4973/xxHash, doc/xxhash_spec.md.
class Hash64 {
 public:
  Hash64();
  void add(std::span<const std::byte> bytes);
  std::uint64_t value() const;
  /// Number of bytes added.
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kStripe = 32;  ///< bytes: a word for each lane

  /// Adds the stripes at the front of `bytes` and returns the rest.
  std::span<const std::byte> add_stripes(std::span<const std::byte> bytes);
  std::uint64_t merged_lanes() const;

  std::array<std::uint64_t, 4> lanes_;
  std::array<std::byte, kStripe> rest_{};  ///< the last bytes_ % kStripe bytes
  std::uint64_t bytes_ = 0;
};

/// The hash of these bytes.
std::uint64_t hash64(std::span<const std::byte> bytes);

}  // namespace toroid
