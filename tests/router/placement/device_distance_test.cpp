// Distances on a machine with two packages and a network card each; hwloc reads it from a file.
#include "router/placement/device_distance.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/router/placement/two_cards.hpp"

namespace toroid {
namespace {

TEST(DeviceDistance, IsSmallestWithinTheCardsPackage) {
  const testing::TwoCards machine;
  const DeviceDistance distance;
  for (const unsigned pu : {0u, 1u}) {
    EXPECT_EQ(distance(machine.card(0), pu), 2u);
    EXPECT_EQ(distance(machine.card(1), pu), 4u);
  }
  for (const unsigned pu : {2u, 3u}) {
    EXPECT_EQ(distance(machine.card(0), pu), 4u);
    EXPECT_EQ(distance(machine.card(1), pu), 2u);
  }
}

TEST(DeviceDistance, IsUnknownForMissingCardsAndProcessors) {
  const testing::TwoCards machine;
  const DeviceDistance distance;
  EXPECT_EQ(distance({0, 0x77, 0, 0}, 0), std::nullopt);
  EXPECT_EQ(distance(machine.card(0), 4), std::nullopt);
}

}  // namespace
}  // namespace toroid
