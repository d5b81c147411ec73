#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hal/check.hpp"
#include "router/placement/host_topology.hpp"
#include "tests/router/shm/affinity.hpp"

namespace toroid {
namespace {

using ::testing::ElementsAre;

TEST(HostTopology, ReadsASyntheticMachine) {
  const auto machine = HostTopology::synthetic("pack:2 core:4 pu:2");
  ASSERT_EQ(machine.cores().size(), 8u);
  for (unsigned c = 0; c < 8; ++c) {
    const Core& core = machine.cores()[c];
    EXPECT_EQ(core.index, c);
    EXPECT_EQ(core.package, c / 4);
    EXPECT_EQ(core.numa, 0u);
    EXPECT_THAT(core.pus, ElementsAre(2 * c, 2 * c + 1));
  }
}

TEST(HostTopology, DistinguishesNumaNodesWithinAndAbovePackages) {
  const auto within = HostTopology::synthetic("pack:2 numa:2 core:1 pu:1").cores();
  const auto above = HostTopology::synthetic("numa:2 pack:2 core:1 pu:1").cores();
  for (unsigned c = 0; c < 4; ++c) {
    EXPECT_EQ(within[c].numa, c);
    EXPECT_EQ(within[c].package, c / 2);
    EXPECT_EQ(above[c].numa, c / 2);
    EXPECT_EQ(above[c].package, c);
  }
}

TEST(HostTopology, KeepsOperatingSystemIndices) {
  const auto machine = HostTopology::synthetic("core:2 pu:2(indexes=0,2,1,3)");
  ASSERT_EQ(machine.cores().size(), 2u);
  EXPECT_THAT(machine.cores()[0].pus, ElementsAre(0, 2));
  EXPECT_THAT(machine.cores()[1].pus, ElementsAre(1, 3));
}

TEST(HostTopology, TreatsProcessorsAsCoresIfNoneAreKnown) {
  const auto machine = HostTopology::synthetic("pu:3");
  ASSERT_EQ(machine.cores().size(), 3u);
  EXPECT_THAT(machine.cores()[2].pus, ElementsAre(2));
}

TEST(HostTopology, RefusesBadSyntheticMachinesWithOneLine) {
  for (const char* text : {"", " ", "nonsense", "pack:", "pack:0 core:2 pu:1", "core:-1 pu:1",
                           "pu:2 core:2", "core:1000000000 pu:1", "core:70000 pu:1",
                           "pack:300 core:300 pu:1", "99999999999999999999"}) {
    try {
      const auto machine = HostTopology::synthetic(text);
      ADD_FAILURE() << "'" << text << "' was taken as " << machine.cores().size() << " cores";
    } catch (const BadInput& refusal) {
      const std::string what = refusal.what();
      EXPECT_NE(what.find("'" + std::string(text) + "'"), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
  }
}

TEST(HostTopology, HasExactlyTheProcessorsOfTheAffinityMask) {
  std::vector<unsigned> pus;
  for (const Core& core : HostTopology::of_this_machine().cores()) {
    EXPECT_FALSE(core.pus.empty());
    pus.insert(pus.end(), core.pus.begin(), core.pus.end());
  }
  EXPECT_THAT(pus, ::testing::UnorderedElementsAreArray(testing::affinity()));
}

TEST(HostTopology, SeesOneCoreFromAThreadThatIsBoundToOneProcessor) {
  for (const unsigned pu : testing::affinity())
    testing::in_a_thread([pu] {
      ASSERT_TRUE(testing::set_affinity({pu}));
      const auto machine = HostTopology::of_this_machine();
      ASSERT_EQ(machine.cores().size(), 1u);
      EXPECT_THAT(machine.cores()[0].pus, ElementsAre(pu));
    });
}

}  // namespace
}  // namespace toroid
