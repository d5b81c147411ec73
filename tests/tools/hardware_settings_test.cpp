// Settings of the emulated hardware, under policies, on fabrics and routes: each is read, or
// refused by name. The table of options with effect says which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/run/ofi.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

/// A setting, by its name in the table, and a value that makes runs longer wherever it is read.
struct HardwareSetting {
  std::string option;
  std::string value;
};
const std::vector<HardwareSetting> kHardware = {
    {"--machine=injection_fifos", "1"},
    {"--machine=injection_fifo_chunks", "8"},
    {"--machine=priority_injection_fifos", "1"},
    {"--machine=reception_fifos", "1"},
    {"--machine=reception_fifo_chunks", "8"},
    {"--machine=priority_reception_fifos", "0"},
    {"--machine=dynamic_vc_chunks", "8"},
    {"--machine=bubble_vc_chunks", "16"},
    {"--machine=priority_vc_chunks", "16"},
    {"--fifo-links", "X+,X-,Y+Y-,Y+Y-,Y+Y-,Y+Y-"},
    {"--tying", "any"},
    {"--queues", "7"},
};
const std::vector<Arguments> kUnder = {{"--policy", "random"},
                                       {"--policy", "deterministic"},
                                       {"--policy", "first-fit"},
                                       {"--policy", "queue-per-direction"},
                                       {"--policy", "fifo-per-dimension"},
                                       {"--routing", "priority"}};

struct CarrierOfHardware {
  std::string fabric;
  std::string route;
};
std::vector<CarrierOfHardware> carriers_of_hardware() {
  std::vector<CarrierOfHardware> all = {{"sim", ""}, {"shm", "torus"}, {"shm", "direct"}};
  if (has_ofi()) all.insert(all.end(), {{"ofi", "torus"}, {"ofi", "direct"}});
  return all;
}

Arguments with(const HardwareSetting& setting, const std::string& machine) {
  const std::string key = "--machine=";
  if (!setting.option.starts_with(key))
    return {"--machine", machine, setting.option, setting.value};
  return {"--machine", machine + ":" + setting.option.substr(key.size()) + "=" + setting.value};
}

bool is_read(const HardwareSetting& setting, const Arguments& under,
             const CarrierOfHardware& carrier) {
  RunSetting run("alltoall");
  run.set("sends", "exchanges").set("--fabric", carrier.fabric).set("--route", carrier.route);
  if (under.back() == "priority") run.set("--routing=priority", "");
  return has_effect(setting.option, "alltoall", run);
}

Arguments on(const CarrierOfHardware& carrier) {
  Arguments words = {"alltoall", "--torus", "3x4", "--bytes", "960", "--fabric", carrier.fabric};
  return carrier.route.empty() ? words : words + Arguments{"--route", carrier.route};
}

TEST(HardwareSettings, AreReadOrRefusedByName) {
  for (const CarrierOfHardware& carrier : carriers_of_hardware())
    for (const Arguments& under : kUnder)
      for (const HardwareSetting& setting : kHardware) {
        if (carrier.route == "direct" && under.back() != "random" &&
            under.back() != "queue-per-direction")
          continue;  // the policy or routing itself is refused there
        SCOPED_TRACE(carrier.fabric + " " + carrier.route + " " + under.back() + " " +
                     setting.option);
        if (setting.option == "--queues" && under.back() == "queue-per-direction") continue;
        const Ended ended = run_command(on(carrier) + under + with(setting, "bgl") +
                                        Arguments{"--quiet", "--json", "-"});
        if (is_read(setting, under, carrier)) {
          EXPECT_EQ(ended.exit_code, 0) << ended.err;
          continue;
        }
        EXPECT_EQ(ended.exit_code, 2);
        std::string name = setting.option;
        std::ranges::replace(name, '=', ' ');
        EXPECT_THAT(ended.err, HasSubstr(name + " has no effect on alltoall"));
      }
}

/// On the model a setting that is read changes the result. Processors are slow at receiving, so
/// that reception FIFOs fill.
TEST(HardwareSettings, ThatAreReadChangeTheRunOnSim) {
  const CarrierOfHardware sim = {"sim", ""};
  const std::string machine = "bgl:receive_cycles=1500";
  const auto hash = [&](const Arguments& more) {
    const Ended ended = run_command(on(sim) + more + Arguments{"--quiet", "--json", "-"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const nlohmann::json result = ended.json();
    return std::to_string(result["cycles"].get<std::uint64_t>()) + result["channels"].dump() +
           result["injection_fifos"].dump() + result["reception_fifos"].dump();
  };
  for (const Arguments& under : {kUnder.front(), kUnder.back()}) {
    const std::string before = hash(under + Arguments{"--machine", machine});
    for (const HardwareSetting& setting : kHardware)
      if (is_read(setting, under, sim)) {
        EXPECT_NE(hash(under + with(setting, machine)), before)
            << under.back() << " " << setting.option;
      }
  }
}

}  // namespace
}  // namespace toroid::testing
