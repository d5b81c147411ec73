// Distances on a machine with two packages, each of which has a network card. hwloc reads the
// description of this machine from a file.
#include "router/placement/pci_distance.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/router/placement/two_cards.hpp"

namespace toroid {
namespace {

TEST(PciDistance, IsSmallestWithinTheCardsPackage) {
  const testing::TwoCards machine;
  const PciDistance distance;
  for (const unsigned pu : {0u, 1u}) {
    EXPECT_EQ(distance(machine.card(0), pu), 2u);
    EXPECT_EQ(distance(machine.card(1), pu), 4u);
  }
  for (const unsigned pu : {2u, 3u}) {
    EXPECT_EQ(distance(machine.card(0), pu), 4u);
    EXPECT_EQ(distance(machine.card(1), pu), 2u);
  }
}

TEST(PciDistance, IsUnknownForMissingCardsAndProcessors) {
  const testing::TwoCards machine;
  const PciDistance distance;
  EXPECT_EQ(distance({0, 0x77, 0, 0}, 0), std::nullopt);
  EXPECT_EQ(distance(machine.card(0), 4), std::nullopt);
}

}  // namespace
}  // namespace toroid
