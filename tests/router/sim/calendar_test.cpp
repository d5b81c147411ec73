// Compares DelayLine and Calendar with ordered maps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/tick.hpp"
#include "router/sim/calendar.hpp"
#include "router/sim/delay_line.hpp"
#include "router/sim/event.hpp"
#include "router/sim/tail_lines.hpp"
#include "tests/router/sim/numbered_event.hpp"
#include "tests/scale.hpp"

namespace toroid::sim {
namespace {

TEST(DelayLine, ReturnsEveryEventAfterItsDelay) {
  Random random(2);
  DelayLine line(69);
  EXPECT_EQ(line.delay(), 69u);
  std::multimap<Tick, std::uint32_t> reference;
  std::uint32_t number = 0;
  std::size_t longest = 0;
  for (Tick now = 0; now < 20000; ++now) {
    ASSERT_EQ(line.next(), reference.empty() ? kNever : reference.begin()->first);
    const auto expected = reference.count(now);
    std::size_t taken = 0;
    if (expected > 0)
      taken = line.pop_batch([&](std::size_t place) {
        ASSERT_EQ(line.view()[place].value(),
                  reference.begin()->second);  // in the order of pushing
        reference.erase(reference.begin());
      });
    ASSERT_EQ(taken, expected);
    const unsigned burst = now / 1000 % 2 == 0 ? 8 : 1;  // the ring has to grow
    for (unsigned i = random.below(burst); i > 0; --i) {
      line.push(numbered(number));
      reference.emplace(now + 69, number++);
    }
    line.close(now);
    longest = std::max(longest, reference.size());
  }
  EXPECT_GT(longest, 128u);
}

TEST(DelayLine, ShowsEventsBeforeTheyAreDue) {
  DelayLine line(10);
  for (std::uint32_t i = 0; i < 100; ++i) {
    line.push(numbered(i));
    line.close(i);
  }
  for (std::uint32_t i = 0; i + 6 < 100; ++i)
    line.pop_batch([&](std::size_t place) {
      EXPECT_EQ(line.view()[place].value(), i);
      EXPECT_EQ(line.view()[place + 6].value(), i + 6);
    });
}

TEST(DelayLine, ReturnsAllEventsOfACycleInOneBatch) {
  DelayLine line(10);
  for (std::uint32_t i = 0; i < 3; ++i) line.push(numbered(i));
  line.close(5);
  line.close(6);  // nothing was pushed
  EXPECT_EQ(line.next(), 15u);
  EXPECT_EQ(line.pop_batch([](std::size_t) {}), 3u);
  EXPECT_EQ(line.next(), kNever);
}

struct Collector {
  void arrivals(DelayLine& line) {
    line.pop_batch([&](std::size_t place) { visited.insert(line.view()[place].value()); });
  }
  void channel_tails(unsigned, DelayLine& line) { arrivals(line); }
  void fifo_tails(unsigned, DelayLine& line) { arrivals(line); }
  void deliveries(unsigned, DelayLine& line) { arrivals(line); }
  std::multiset<std::uint32_t> visited;
};

/// A calendar and a multimap that get the same events.
class CalendarTwins {
 public:
  explicit CalendarTwins(const Machine& machine) : machine_(machine), calendar_(machine) {}

  /// Schedules an event after a random kind of delay: that of a hop, that of a packet on the wire,
  /// or any other.
  void schedule(Random& random) {
    const Event event = numbered(count_++);
    const unsigned kind = random.below(10);
    if (kind == 9) {
      const Tick at = now_ + 1 + (Tick{random.below(100)} << random.below(12));
      calendar_.at(at, event);
      reference_.emplace(at, event.value());
    } else if (kind == 8) {
      calendar_.hops().push(event);
      reference_.emplace(now_ + machine_.hop_latency_cycles, event.value());
    } else {
      TailLines<Event>& tails = calendar_.tails(kind + 1);
      std::array{&tails.channels, &tails.fifos, &tails.delivered}[count_ % 3]->push(event);
      reference_.emplace(now_ + machine_.wire_cycles(machine_.wire_bytes(kind + 1)), event.value());
    }
  }

  void advance() {
    calendar_.end_cycle(now_);
    const Tick next = calendar_.next();
    if (reference_.empty()) {
      ASSERT_EQ(next, kNever);
      return;
    }
    ASSERT_EQ(next, reference_.begin()->first);
    calendar_.advance(next);
    now_ = next;
    Collector collector;
    calendar_.for_each_line(now_, collector);
    calendar_.for_each_irregular([&](Event event) { collector.visited.insert(event.value()); });
    std::multiset<std::uint32_t> expected;
    const auto [begin, end] = reference_.equal_range(now_);
    for (auto it = begin; it != end; ++it) expected.insert(it->second);
    reference_.erase(begin, end);
    ASSERT_EQ(collector.visited, expected);
  }
  bool empty() const { return reference_.empty(); }

 private:
  Machine machine_;
  Calendar calendar_;
  std::multimap<Tick, std::uint32_t> reference_;
  std::uint32_t count_ = 0;
  Tick now_ = 0;
};

TEST(Calendar, EqualsAnOrderedMapOnRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(20u); ++seed) {
    Random random(seed);
    CalendarTwins twins{Machine()};
    for (int step = 0; step < 3000 || !twins.empty(); ++step) {
      if (step < 3000)
        for (unsigned i = random.below(5); i > 0; --i) twins.schedule(random);
      twins.advance();
      if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << " step " << step;
    }
    twins.advance();  // nothing is left
  }
}

}  // namespace
}  // namespace toroid::sim
