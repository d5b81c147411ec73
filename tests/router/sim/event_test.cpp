#include <gtest/gtest.h>

#include <cstdint>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "router/sim/event.hpp"

namespace toroid::sim {
namespace {

TEST(Event, ReturnsItsFields) {
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto kind = static_cast<EventKind>(random.below(5));
    const Rank node = random.below(1u << 24);
    const unsigned index = random.below(64);
    const std::uint32_t value = random.below(1u << Event::kValueBits);
    const Event event(kind, node, index, value);
    ASSERT_EQ(event.kind(), kind);
    ASSERT_EQ(event.node(), node);
    ASSERT_EQ(event.index(), index);
    ASSERT_EQ(event.value(), value);
  }
}

TEST(Event, HoldsTheLargestFields) {
  const Event event(EventKind::turn, (1u << 24) - 1, 63, (1u << 30) - 1);
  EXPECT_EQ(event.kind(), EventKind::turn);
  EXPECT_EQ(event.node(), (1u << 24) - 1);
  EXPECT_EQ(event.index(), 63u);
  EXPECT_EQ(event.value(), (1u << 30) - 1);
}

TEST(Event, IsOrderedByKindThenNodeThenIndex) {
  EXPECT_LT(Event(EventKind::arrive, 9, 9), Event(EventKind::turn, 0, 0));
  EXPECT_LT(Event(EventKind::turn, 1, 9), Event(EventKind::turn, 2, 0));
  EXPECT_LT(Event(EventKind::turn, 1, 1, 9), Event(EventKind::turn, 1, 2, 0));
}

}  // namespace
}  // namespace toroid::sim
