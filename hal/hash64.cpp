#include "hal/hash64.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace toroid {
namespace {

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5;

/// Words are read in the byte order of this machine, which is little-endian.
template <typename Word>
std::uint64_t word_at(const std::byte* place) {
  Word word = 0;
  std::memcpy(&word, place, sizeof word);
  return word;
}

constexpr std::uint64_t next_lane(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

/// The hash after the bytes that fill no stripe.
std::uint64_t with_rest(std::uint64_t hash, std::span<const std::byte> rest) {
  for (; rest.size() >= 8; rest = rest.subspan(8))
    hash =
        std::rotl(hash ^ next_lane(0, word_at<std::uint64_t>(rest.data())), 27) * kPrime1 + kPrime4;
  for (; rest.size() >= 4; rest = rest.subspan(4))
    hash = std::rotl(hash ^ word_at<std::uint32_t>(rest.data()) * kPrime1, 23) * kPrime2 + kPrime3;
  for (const std::byte byte : rest)
    hash = std::rotl(hash ^ std::to_integer<std::uint64_t>(byte) * kPrime5, 11) * kPrime1;
  return hash;
}

/// Lets every bit have an effect on every other.
constexpr std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace

Hash64::Hash64() : lanes_{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1} {}

std::span<const std::byte> Hash64::add_stripes(std::span<const std::byte> bytes) {
  auto [a, b, c, d] = lanes_;  // in registers: members might alias the bytes
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) {
    a = next_lane(a, word_at<std::uint64_t>(bytes.data()));
    b = next_lane(b, word_at<std::uint64_t>(bytes.data() + 8));
    c = next_lane(c, word_at<std::uint64_t>(bytes.data() + 16));
    d = next_lane(d, word_at<std::uint64_t>(bytes.data() + 24));
  }
  lanes_ = {a, b, c, d};
  return bytes;
}

void Hash64::add(std::span<const std::byte> bytes) {
  const std::size_t kept = bytes_ % kStripe;
  bytes_ += bytes.size();
  if (kept > 0) {
    const std::size_t more = std::min(kStripe - kept, bytes.size());
    std::ranges::copy(bytes.first(more), rest_.begin() + static_cast<std::ptrdiff_t>(kept));
    bytes = bytes.subspan(more);
    if (kept + more < kStripe) return;
    add_stripes(rest_);
  }
  std::ranges::copy(add_stripes(bytes), rest_.begin());
}

std::uint64_t Hash64::merged_lanes() const {
  std::uint64_t hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) +
                       std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
  for (const std::uint64_t lane : lanes_) hash = (hash ^ next_lane(0, lane)) * kPrime1 + kPrime4;
  return hash;
}

std::uint64_t Hash64::value() const {
  const std::uint64_t hash = bytes_ < kStripe ? kPrime5 : merged_lanes();
  return mixed(with_rest(hash + bytes_, std::span(rest_).first(bytes_ % kStripe)));
}

std::uint64_t hash64(std::span<const std::byte> bytes) {
  Hash64 hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace toroid
