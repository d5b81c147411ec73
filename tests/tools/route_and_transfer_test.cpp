// The default route is direct, unless an option or the policy affects links.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

const Arguments kExchangeOfFour = {"alltoall", "--torus", "2x2", "--fabric", "shm"};
const std::vector<Arguments> kOfLinks = {{"--drain", "first-fit"},
                                         {"--tying", "any"},
                                         {"--routing", "deterministic"},
                                         {"--tie", "plus"},
                                         {"--no-transit-first"},
                                         {"--no-bubble"},
                                         {"--policy", "deterministic"},
                                         {"--policy", "first-fit"},
                                         {"--policy", "fifo-per-dimension"}};
const std::vector<Arguments> kOfNodes = {{},
                                         {"--order", "rank"},
                                         {"--per-visit", "2"},
                                         {"--queues", "3"},
                                         {"--policy", "shift"},
                                         {"--policy", "two-phase"},
                                         {"--transfer", "packets"},
                                         {"--policy", "throttled"}};

TEST(RouteChoice, IsDirectIfNothingAffectsLinks) {
  for (const Arguments& options : kOfNodes)
    EXPECT_EQ(json_of(kExchangeOfFour + options)["route"], "direct")
        << ::testing::PrintToString(options);
}

TEST(RouteChoice, IsTorusIfAnOptionOrThePolicyAffectsLinks) {
  for (const Arguments& options : kOfLinks)
    EXPECT_EQ(json_of(kExchangeOfFour + options)["route"], "torus")
        << ::testing::PrintToString(options);
  EXPECT_EQ(json_of({"alltoall", "--torus", "4x4", "--fabric", "shm", "--fail-link", "(0,0)X+",
                     "--long-way"})["route"],
            "torus");
}

TEST(RouteChoice, FollowsTheRouteOption) {
  EXPECT_EQ(json_of(kExchangeOfFour + Arguments{"--route", "torus"})["route"], "torus");
  EXPECT_EQ(json_of(kExchangeOfFour + Arguments{"--route", "direct"})["route"], "direct");
  EXPECT_EQ(json_of(kExchangeOfFour + Arguments{"--route", "auto"})["route"], "direct");
}

TEST(RouteChoice, IsTheSameForEveryVerb) {
  const TemporaryDirectory directory;
  const std::string goal = directory.path() / "run.goal";
  json_of({"alltoall", "--torus", "2x2", "--export", goal});
  const Arguments rest = {"--torus", "2x2", "--fabric", "shm"};
  const std::vector<Arguments> verbs = {
      Arguments{"fft", "--size", "4"} + kEstimate,
      {"poisson", "--size", "4"},
      {"hello"},
      {"replay", goal},
      {"bench", "latency", "--sizes", "8", "-i", "1", "-x", "0", "--batches", "1"},
      {"sweep", "--axis", "bytes", "--policies", "random", "--bytes", "240"}};
  for (const Arguments& verb : verbs) {
    EXPECT_EQ(json_of(verb + rest)["route"], "direct") << verb[0];
    const bool is_campaign = verb[0] == "sweep";
    const Arguments of_links = {"--routing", is_campaign ? "adaptive,deterministic" : "adaptive"};
    EXPECT_EQ(json_of(verb + rest + of_links)["route"], "torus") << verb[0];
  }
}

TEST(RouteChoice, IsTheSameForAllRunsOfACampaign) {
  const Arguments campaign = {"compare", "--torus", "2x2", "--fabric", "shm", "--policies"};
  EXPECT_EQ(json_of(campaign + Arguments{"random,shift"})["route"], "direct");
  const nlohmann::json mixed = json_of(campaign + Arguments{"random,deterministic"});
  EXPECT_EQ(mixed["route"], "torus");
  EXPECT_EQ(mixed["rows"].size(), 2u);
  EXPECT_EQ(json_of(campaign + Arguments{"random", "--routing", "adaptive,deterministic"})["route"],
            "torus");
}

TEST(RouteChoice, RefusesOptionsThatContradictIt) {
  const TemporaryDirectory directory;
  for (const Arguments& options : kOfLinks)
    expect_refusal(directory, kExchangeOfFour + options + Arguments{"--route", "direct"},
                   {"no effect", "--route direct"});
  expect_refusal(directory,
                 kExchangeOfFour + Arguments{"--transfer", "put", "--routing", "deterministic"},
                 {"--transfer put needs the direct route", "routing"});
  const Arguments campaign = {"compare", "--torus", "2x3", "--fabric", "shm", "--transfer", "put"};
  expect_refusal(directory, campaign + Arguments{"--policies", "random,deterministic"},
                 {"--transfer put needs the direct route"});
  EXPECT_EQ(json_of(campaign + Arguments{"--policies", "all"})["route"], "direct");
  expect_refusal(directory, kExchangeOfFour + Arguments{"--route", "straight"},
                 {"unknown route 'straight'", "torus", "direct", "auto"});
}

}  // namespace
}  // namespace toroid::testing
