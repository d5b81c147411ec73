#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "hal/shape.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/placement.hpp"
#include "tools/run/placement_text.hpp"

namespace toroid {
namespace {

std::string drawn(const std::string& machine, const std::string& shape, unsigned threads = 0,
                  Binding binding = Binding::core) {
  const auto topology = HostTopology::synthetic(machine);
  const Shape torus = Shape::parse(shape);
  return placement_text(topology, torus, place(topology, torus, threads, binding));
}

TEST(PlacementText, DrawsTwoSocketsAndAMap) {
  EXPECT_EQ(drawn("pack:2 core:2 pu:2", "4x4"),
            "4 workers: 4 allowed cores; bound to cores\n"
            "4x4: 4 nodes each, 16 links between workers\n"
            "package 0, NUMA node 0\n"
            "  core 0 PU 0,1  worker 0: 4 nodes (0,0) to (1,1)\n"
            "  core 1 PU 2,3  worker 1: 4 nodes (0,2) to (1,3)\n"
            "package 1, NUMA node 0\n"
            "  core 2 PU 4,5  worker 2: 4 nodes (2,0) to (3,1)\n"
            "  core 3 PU 6,7  worker 3: 4 nodes (2,2) to (3,3)\n"
            "\n"
            "worker of each node: rows X, columns Y\n"
            " 0 0 1 1\n"
            " 0 0 1 1\n"
            " 2 2 3 3\n"
            " 2 2 3 3\n");
}

TEST(PlacementText, PutsTheSlicesOfThreeDimensionsSideBySide) {
  const std::string text = drawn("core:2 pu:1", "4x2x3", 0, Binding::none);
  EXPECT_NE(text.find("2 workers: 2 allowed cores; not bound to cores\n"), std::string::npos);
  EXPECT_NE(text.find("worker of each node: blocks X, rows Y, columns Z\n"
                      " X=0      X=1      X=2      X=3\n"
                      " 0 0 0    0 0 0    1 1 1    1 1 1\n"
                      " 0 0 0    0 0 0    1 1 1    1 1 1\n"),
            std::string::npos)
      << text;
}

TEST(PlacementText, ShowsIdleCoresAndNoMapForOneWorker) {
  EXPECT_EQ(drawn("pack:2 core:2 pu:1", "4", 1),
            "1 worker: --threads 1; bound to cores\n"
            "4: 4 nodes each, 0 links between workers\n"
            "package 0, NUMA node 0\n"
            "  core 0 PU 0  worker 0: 4 nodes (0) to (3)\n"
            "  core 1 PU 1  idle\n"
            "package 1, NUMA node 0\n"
            "  cores 2 to 3  idle\n");
}

TEST(PlacementText, SaysThatWorkersShareCores) {
  EXPECT_EQ(drawn("core:1 pu:1", "3", 2),
            "2 workers: --threads 2; more than the 1 core, bound to cores\n"
            "3: 1 or 2 nodes each, 2 links between workers\n"
            "package 0, NUMA node 0\n"
            "  core 0 PU 0  worker 0: 1 node (0)\n"
            "               worker 1: 2 nodes (1) to (2)\n"
            "\n"
            "worker of each node: along X\n"
            " 0 1 1\n");
}

TEST(PlacementText, SaysWithinABoxIfTheBoxAlsoHoldsOtherWorkersNodes) {
  EXPECT_NE(drawn("core:2 pu:1", "3x3").find("worker 0: 4 nodes within (0,0) to (1,2)\n"),
            std::string::npos);
}

TEST(PlacementText, HasAtMostSixtyLinesForAnySize) {
  for (const char* machine :
       {"core:1 pu:1", "pack:2 core:64 pu:2", "pack:64 core:1 pu:1", "pack:2 core:9 pu:1"})
    for (const char* shape :
         {"1", "256", "24x5", "1x24x24", "8x8x8", "64x4x1", "4x4x4x2x2x2", "256x9", "2x11x30"})
      for (const unsigned threads : {0u, 1u, 40u, 500u}) {
        const std::string text = drawn(machine, shape, threads);
        EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60) << text;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
      }
}

}  // namespace
}  // namespace toroid
