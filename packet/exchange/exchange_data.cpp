#include "packet/exchange/exchange_data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {
namespace {

void write(std::span<std::byte> block, std::uint64_t seed, Rank from, Rank to) {
  Random random(seed, std::uint64_t{from} << 32 | to);
  for (std::byte& b : block) b = static_cast<std::byte>(random.next() >> 56);
}

}  // namespace

ExchangeData::Blocks::Blocks(std::vector<Rank> peers, const std::vector<std::uint64_t>& bytes)
    : peers_(std::move(peers)), ends_{0} {
  for (const std::uint64_t b : bytes) ends_.push_back(ends_.back() + b);
  bytes_.resize(ends_.back());
}

std::size_t ExchangeData::Blocks::index(Rank peer) const {
  // Where everybody is a peer, a peer's place is its rank or one less.
  for (const std::size_t guess : {std::size_t{peer}, std::size_t{peer} - 1})
    if (guess < peers_.size() && peers_[guess] == peer) return guess;
  const auto found = std::ranges::lower_bound(peers_, peer);
  TOROID_CHECK(found != peers_.end() && *found == peer);
  return static_cast<std::size_t>(found - peers_.begin());
}

ExchangeData::Blocks ExchangeData::blocks_to(const Traffic& traffic, Rank self) {
  std::vector<Rank> peers = traffic.targets(self);
  std::vector<std::uint64_t> bytes;
  for (const Rank peer : peers) bytes.push_back(traffic.bytes(self, peer));
  return {std::move(peers), bytes};
}

ExchangeData::Blocks ExchangeData::blocks_from(const Traffic& traffic, Rank self) {
  std::vector<Rank> peers = traffic.sources(self);
  std::vector<std::uint64_t> bytes;
  for (const Rank peer : peers) bytes.push_back(traffic.bytes(peer, self));
  return {std::move(peers), bytes};
}

ExchangeData::ExchangeData(const Traffic& traffic, Rank self, std::uint64_t seed)
    : self_(self), seed_(seed), out_(blocks_to(traffic, self)), in_(blocks_from(traffic, self)) {
  for (const Rank peer : out_.peers()) write(out_.block(peer), seed, self, peer);
}

std::optional<Rank> ExchangeData::damaged() const {
  std::vector<std::byte> expected;
  for (const Rank peer : in_.peers()) {
    expected.resize(in_.block(peer).size());
    write(expected, seed_, peer, self_);
    if (!std::ranges::equal(expected, in_.block(peer))) return peer;
  }
  return std::nullopt;
}

double ExchangeData::total_bytes(const Traffic& traffic, Rank nodes) {
  if (traffic.is_uniform_all_to_all() && nodes > 1)
    return 2.0 * nodes * (nodes - 1) * static_cast<double>(traffic.bytes(0, 1));
  double sum = 0;
  for (Rank from = 0; from < nodes; ++from)
    for (const Rank to : traffic.targets(from)) sum += static_cast<double>(traffic.bytes(from, to));
  return 2 * sum;
}

}  // namespace toroid
