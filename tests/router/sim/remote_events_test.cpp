// Compares RemoteEvents, the messages from neighbouring blocks, with an ordered map.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/lean/lean_state.hpp"
#include "router/sim/lean/packet_word.hpp"
#include "router/sim/lean/remote_events.hpp"
#include "tests/scale.hpp"

namespace toroid::sim::lean {
namespace {

/// RemoteEvents and a multimap, which get the same messages and must give the same answers.
class ArrivalTwins {
 public:
  void send(std::size_t neighbour, Tick at) {
    const Rank node = number_++;
    if (node % 3 == 0)
      from_.tokens(neighbour, at, {node, 0, 0, 0});
    else
      from_.header(neighbour, at, {PacketWord(), Place::of(node, 0)});
    reference_.emplace(at, node);
    ASSERT_EQ(from_.next(), reference_.begin()->first);
  }
  /// Removes the next messages. Returns their cycle.
  Tick pop() {
    const Tick now = from_.next();
    check(now);
    return now;
  }
  bool empty() const { return reference_.empty(); }

 private:
  void check(Tick now) {
    std::vector<Rank> got;
    std::size_t tokens = 0;
    const std::size_t headers = from_.pop([&](const Hop& hop) { got.push_back(hop.place.node()); },
                                          [&](const TokensBack& back) {
                                            got.push_back(back.node);
                                            ++tokens;
                                          });
    ASSERT_EQ(headers + tokens, got.size());
    std::vector<Rank> expected;
    const auto [begin, end] = reference_.equal_range(now);
    for (auto it = begin; it != end; ++it) expected.push_back(it->second);
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    ASSERT_EQ(got, expected) << "cycle " << now;
    reference_.erase(begin, end);
    ASSERT_EQ(from_.next(), reference_.empty() ? kNever : reference_.begin()->first);
  }

  RemoteEvents from_;
  std::multimap<Tick, Rank> reference_;
  Rank number_ = 0;
};

TEST(RemoteEvents, ArriveInOrderOfTimeFromAnyNumberOfNeighbours) {
  for (std::uint64_t seed = 0; seed < testing::scaled(20u); ++seed) {
    Random random(seed);
    ArrivalTwins twins;
    Tick now = 1;
    for (unsigned round = 0; round < 200; ++round) {
      // Messages come nearly in order, like tokens of packets of several lengths. Now and then
      // there are very many.
      const std::uint64_t count = random.below(20) == 0 ? 500 : random.below(12);
      for (std::uint64_t i = 0; i < count; ++i)
        twins.send(random.below(3), now + 1 + random.below(70) + random.below(8) * 35);
      for (std::uint64_t i = random.below(40); i > 0 && !twins.empty(); --i) now = twins.pop();
      if (::testing::Test::HasFatalFailure()) return;
    }
    while (!twins.empty()) twins.pop();
  }
}

}  // namespace
}  // namespace toroid::sim::lean
