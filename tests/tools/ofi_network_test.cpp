// Four hosts with one process each compute the same as the model, over good and bad networks.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/net/hosts.hpp"
#include "tests/tools/ofi_run.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;

const Arguments kTorus = {"--torus", "4x2x2"};
const Arguments kHello = Arguments{"hello"} + kTorus;
const Arguments kAllToAll = Arguments{"alltoall", "--bytes", "960"} + kTorus;
/// Plans are estimated, because results of measured plans may differ in the last bit.
const Arguments kFft = Arguments{"fft", "--plan", "estimate"} + kTorus;
const Arguments kSmall = kFft + Arguments{"--size", "18x20x15"};
const std::string kProtein = TOROID_SOURCE_DIR "/../shared/data/EMD-3001.npy";

class OfiNetwork : public ::testing::Test {
 protected:
  /// Creates the hosts. Returns false if this is impossible here, so that the test must be skipped.
  bool wire(Wiring wiring, unsigned hosts = OfiRun::kProcesses) {
    why_not_ = obstacle_to(wiring);
    if (why_not_.empty()) hosts_ = std::make_unique<Hosts>(hosts, wiring);
    return why_not_.empty();
  }

  std::vector<Ended> run(const Arguments& arguments) {
    OfiRun run(*hosts_, arguments, directory_.path(), hosts_->size());
    run.start_rest();
    return run.wait();
  }

  nlohmann::json report_of(const Arguments& arguments) {
    expect_success(run(arguments + Arguments{"--json", "report.json"}));
    return nlohmann::json::parse(directory_.content_of("report.json"), nullptr, false);
  }

  void expect_the_models_array(const Arguments& fft, const Arguments& route = {}) {
    const nlohmann::json report = report_of(fft + route + Arguments{"--check", "--out", "ofi.npy"});
    EXPECT_EQ(report["fabric"], "ofi");
    EXPECT_LE(report.value("l2_error", 1.0), 1e-12);
    EXPECT_TRUE(directory_.content_of("ofi.npy") == array_of_the_model(fft));
  }

  void expect_a_full_exchange(const Arguments& exchange) {
    const nlohmann::json report = report_of(exchange);
    EXPECT_EQ(report["fabric"], "ofi");
    EXPECT_EQ(report["nodes"], 16);
    EXPECT_EQ(report["packets"], 16 * 15 * 4);
  }

  std::string why_not_;
  std::unique_ptr<Hosts> hosts_;
  const TemporaryDirectory directory_;
};

class OfiNetworkByRoute : public OfiNetwork, public ::testing::WithParamInterface<const char*> {
 protected:
  static Arguments route() { return {"--route", GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Route, OfiNetworkByRoute, ::testing::Values("torus", "direct"),
                         [](const auto& route) { return std::string(route.param); });

TEST_P(OfiNetworkByRoute, OnlyProcessZeroSaysHello) {
  if (!wire(Wiring::bridge)) GTEST_SKIP() << why_not_;
  const std::vector<Ended> all = run(kHello + route());
  expect_success(all);
  EXPECT_EQ(std::count(all[0].out.begin(), all[0].out.end(), '\n'), 1) << all[0].out;
}

TEST_P(OfiNetworkByRoute, ExchangesAllToAll) {
  if (!wire(Wiring::bridge)) GTEST_SKIP() << why_not_;
  expect_a_full_exchange(kAllToAll + route());
}

TEST_P(OfiNetworkByRoute, ProteinTransformEqualsTheModels) {
  if (!wire(Wiring::bridge)) GTEST_SKIP() << why_not_;
  if (!std::filesystem::exists(kProtein)) GTEST_SKIP() << kProtein << " is missing";
  expect_the_models_array(kFft + Arguments{"--in", kProtein}, route());
}

TEST_P(OfiNetworkByRoute, RepeatedTransformEqualsTheModels) {
  if (!wire(Wiring::bridge)) GTEST_SKIP() << why_not_;
  expect_the_models_array(kSmall, route() + Arguments{"--repeat", "20"});
}

TEST_P(OfiNetworkByRoute, ComputesTheSameOverSlowLossyLinks) {
  if (!wire(Wiring::our_switch)) GTEST_SKIP() << why_not_;
  hosts_->our_switch().set_all_links({.delay = 5ms, .loss = 0.01});
  expect_a_full_exchange(kAllToAll + route());
  expect_the_models_array(kSmall, route());
  EXPECT_GT(hosts_->our_switch().counts().lost, 0U);
}

TEST_F(OfiNetwork, ProteinTransformEqualsTheModelsOverOneSlowLink) {
  if (!wire(Wiring::our_switch)) GTEST_SKIP() << why_not_;
  if (!std::filesystem::exists(kProtein)) GTEST_SKIP() << kProtein << " is missing";
  hosts_->our_switch().set_link(2, {.delay = 20ms, .loss = 0.01});
  expect_the_models_array(kFft + Arguments{"--in", kProtein});
}

/// Slab transforms on two hosts.
class OfiSlab : public OfiNetwork, public ::testing::WithParamInterface<Arguments> {
 protected:
  std::string array_of(const Arguments& options) {
    const nlohmann::json report =
        report_of(kSlab + GetParam() + options + Arguments{"--check", "--out", "ofi.npy"});
    EXPECT_LE(report.value("l2_error", 1.0), 1e-12);
    return directory_.content_of("ofi.npy");
  }

  const Arguments kSlab = {"fft",    "--plan",   "estimate", "--torus", "2",
                           "--size", "24x32x40", "--method", "slab"};
};
INSTANTIATE_TEST_SUITE_P(Data, OfiSlab,
                         ::testing::Values(Arguments{}, Arguments{"--inverse"}, Arguments{"--real"},
                                           Arguments{"--real", "--inverse"},
                                           Arguments{"--box-cut", "2"}, Arguments{"--batch", "3"}),
                         [](const auto& data) {
                           std::string name = "Of";
                           for (const std::string& word : data.param)
                             for (const char letter : word)
                               if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
                                 name += letter;
                           return name;
                         });

TEST_P(OfiSlab, NonBlockingExchangesGiveTheBlockingResultOverASlowLink) {
  if (!wire(Wiring::our_fast_switch, 2)) GTEST_SKIP() << why_not_;
  hosts_->our_switch().set_all_links({.delay = 50us, .bandwidth = 1e8});
  const std::string blocking = array_of({"--planes", "0"});
  EXPECT_TRUE(array_of({"--planes", "4", "--repeat", "3"}) == blocking);
  EXPECT_TRUE(array_of({"--planes", "1", "--window", "1"}) == blocking);
  EXPECT_TRUE(array_of({"--planes", "2,3", "--test-interval", "7"}) == blocking);
}

TEST_F(OfiNetwork, FindsProcessZeroByHostName) {
  if (!wire(Wiring::bridge)) GTEST_SKIP() << why_not_;
  OfiRun run(*hosts_, kHello, directory_.path());
  for (unsigned rank = 0; rank < OfiRun::kProcesses; ++rank)
    run.start(rank, {(*hosts_)[0].name(), kMasterPort});
  expect_success(run.wait());
}

TEST_F(OfiNetwork, HasEqualResultHashesForEqualSeeds) {
  if (!wire(Wiring::bridge)) GTEST_SKIP() << why_not_;
  EXPECT_EQ(report_of(kSmall)["result_hash"], report_of(kSmall)["result_hash"]);
}

}  // namespace
}  // namespace toroid::testing
