// Compares EventWheel with an ordered map on random schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "hal/random.hpp"
#include "hal/tick.hpp"
#include "router/sim/event.hpp"
#include "router/sim/event_wheel.hpp"
#include "tests/router/sim/numbered_event.hpp"
#include "tests/scale.hpp"

namespace toroid::sim {
namespace {

std::vector<Event> sorted(std::vector<Event> events) {
  std::sort(events.begin(), events.end());
  return events;
}

/// A wheel and a multimap that get the same events. Every advance() compares the two.
class WheelTwins {
 public:
  void schedule(Tick at) {
    const Event event = numbered(count_++);
    wheel_.schedule(at, event);
    reference_.emplace(at, event);
  }
  bool empty() const { return reference_.empty(); }
  Tick next() const { return reference_.begin()->first; }
  Tick now() const { return now_; }

  void advance(Tick at) {
    now_ = at;
    std::vector<Event> taken;
    wheel_.advance(at, taken);
    std::vector<Event> expected;
    const auto [begin, end] = reference_.equal_range(at);
    for (auto it = begin; it != end; ++it) expected.push_back(it->second);
    reference_.erase(begin, end);
    ASSERT_EQ(sorted(taken), sorted(expected)) << "cycle " << at;
    check_next();
  }
  void check_next() const { ASSERT_EQ(wheel_.next(), empty() ? kNever : next()); }

 private:
  EventWheel wheel_;
  std::multimap<Tick, Event> reference_;
  std::uint32_t count_ = 0;
  Tick now_ = 0;
};

/// A random delay of a random kind: at most two cycles, near, about the size of the wheel, a
/// multiple of it, far or very far.
Tick random_delay(Random& random) {
  switch (random.below(6)) {
    case 0:
      return random.below(3);
    case 1:
      return random.below(300);
    case 2:
      return 2040 + random.below(16);
    case 3:
      return random.below(10000);
    case 4:
      return Tick{random.below(4)} * 2048;
    default:
      return Tick{random.below(1000)} << random.below(30);
  }
}

TEST(EventWheel, EqualsAnOrderedMapOnRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(30u); ++seed) {
    Random random(seed);
    WheelTwins twins;
    for (int step = 0; step < 2000; ++step) {
      for (unsigned i = random.below(4); i > 0; --i)
        twins.schedule(twins.now() + random_delay(random));
      twins.check_next();
      if (!twins.empty()) twins.advance(twins.next());
      if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << " step " << step;
    }
    while (!twins.empty() && !::testing::Test::HasFatalFailure()) twins.advance(twins.next());
  }
}

TEST(EventWheel, AdvancesToCyclesWithoutEvents) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(30u); ++seed) {
    Random random(seed);
    WheelTwins twins;
    for (int step = 0; step < 2000; ++step) {
      if (random.below(3) == 0) twins.schedule(twins.now() + random_delay(random));
      const Tick ahead = twins.now() + random.below(1500);
      twins.advance(twins.empty() ? ahead : std::min(ahead, twins.next()));
      if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << " step " << step;
    }
  }
}

TEST(EventWheel, FreesTheMemoryOfABurst) {
  EventWheel wheel;
  std::vector<Event> taken;
  for (std::uint32_t i = 0; i < 100'000; ++i) wheel.schedule(10, numbered(i));
  wheel.advance(10, taken);
  EXPECT_EQ(taken.size(), 100'000u);
  for (Tick now = 11; now < 6000; ++now) {
    taken.clear();
    wheel.schedule(now, numbered(1));
    wheel.advance(now, taken);
    ASSERT_LT(taken.capacity(), 100'000u) << now;
  }
}

TEST(EventWheel, IsInitiallyEmpty) {
  EXPECT_EQ(EventWheel().next(), kNever);
}

/// The landing set takes every distance near the end of a word or of the wheel, and some in
/// between.
bool takes_distance(Tick delay) {
  return testing::is_thorough() || delay < 130 || (delay + 2) % 64 < 4 || delay % 29 == 0;
}

TEST(EventWheel, FindsTheOnlyEventAtEveryDistance) {
  for (const Tick start : {0u, 1u, 63u, 64u, 2047u, 2048u, 5000u})
    for (Tick delay = 0; delay < 4200; ++delay) {
      if (!takes_distance(delay)) continue;
      EventWheel wheel;
      std::vector<Event> taken;
      wheel.advance(start, taken);
      wheel.schedule(start + delay, numbered(7));
      ASSERT_EQ(wheel.next(), start + delay);
      wheel.advance(start + delay, taken);
      ASSERT_EQ(taken, std::vector{numbered(7)});
      ASSERT_EQ(wheel.next(), kNever);
    }
}

}  // namespace
}  // namespace toroid::sim
