// Traffics for tests of policies.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid::testing {

/// The same number of bytes for every pair.
class EvenTraffic final : public Traffic {
 public:
  EvenTraffic(Rank nodes, std::uint64_t bytes) : nodes_(nodes), bytes_(bytes) {}
  std::string_view name() const override { return "even"; }
  std::uint64_t bytes(Rank, Rank) const override { return bytes_; }
  std::optional<std::uint64_t> message_bytes() const override { return bytes_; }
  bool is_uniform_all_to_all() const override { return true; }
  std::vector<Rank> targets(Rank from) const override {
    std::vector<Rank> all;
    for (Rank r = 0; r < nodes_; ++r)
      if (r != from) all.push_back(r);
    return all;
  }
  std::vector<Rank> sources(Rank to) const override { return targets(to); }
  Rank draw(Rank from, Random& random) const override {
    const Rank r = random.below(nodes_ - 1);
    return r < from ? r : r + 1;
  }

 private:
  Rank nodes_;
  std::uint64_t bytes_;
};

/// Messages of 0 to 699 bytes, a third of them empty.
class UnevenTraffic final : public Traffic {
 public:
  explicit UnevenTraffic(Rank nodes) : nodes_(nodes) {}
  std::string_view name() const override { return "uneven"; }
  std::uint64_t bytes(Rank from, Rank to) const override {
    return (from * 31 + to * 17) % 3 == 0 ? 0 : 1 + (from * 131 + to * 291) % 699;
  }
  std::vector<Rank> targets(Rank from) const override {
    std::vector<Rank> some;
    for (Rank r = 0; r < nodes_; ++r)
      if (r != from && bytes(from, r) > 0) some.push_back(r);
    return some;
  }
  std::vector<Rank> sources(Rank to) const override {
    std::vector<Rank> some;
    for (Rank r = 0; r < nodes_; ++r)
      if (r != to && bytes(r, to) > 0) some.push_back(r);
    return some;
  }
  Rank draw(Rank from, Random& random) const override {
    const auto some = targets(from);
    return some[random.below(static_cast<std::uint32_t>(some.size()))];
  }

 private:
  Rank nodes_;
};

}  // namespace toroid::testing
