// Every setting of a policy, and every policy, in every command on every fabric and route: it runs
// where something reads it, and is refused by name where nothing does. The JSON says which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "hal/machine.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/command_line/options.hpp"
#include "tools/run/policy_effects.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

/// A command line, what it sends, and what its refusals call it.
struct Sender {
  const char* name;
  Arguments arguments;
  Sent sent;
  std::string what;
  bool takes_every_policy = false;
};
void PrintTo(const Sender& sender, std::ostream* out) {
  *out << sender.name;
}

Arguments fft(const char* torus, const std::string& method) {
  return Arguments{"fft", "--torus", torus, "--size", "4", "--method", method} + kEstimate;
}
Arguments bench(const std::string& kind) {
  return {"bench", kind, "--torus", "2x2", "--batches", "1", "-i", "1", "-x", "0", "--sizes", "8"};
}

const std::vector<Sender> kSenders = {
    {"alltoall", {"alltoall", "--torus", "2x2", "--bytes", "300"}, Sent::exchanges, "alltoall"},
    {"fft_volumetric", fft("2x2", "volumetric"), Sent::exchanges, "fft --method volumetric"},
    {"fft_slab", fft("2x2", "slab"), Sent::exchanges, "fft --method slab"},
    {"fft_rows", fft("2x2", "rows"), Sent::exchanges, "fft --method rows"},
    {"fft_orbital", fft("2x2x2", "orbital"), Sent::streams, "fft --method orbital", true},
    {"hello", {"hello", "--torus", "2x2"}, Sent::streams, "hello"},
    {"replay", {"replay", "run.goal", "--torus", "2x2"}, Sent::messages, "replay"},
    {"poisson", {"poisson", "--torus", "2x2", "--size", "4"}, Sent::exchanges, "poisson"},
    {"bench_latency", bench("latency"), Sent::streams, "bench latency"},
    {"bench_alltoall", bench("alltoall"), Sent::exchanges, "bench alltoall"},
};

/// Where it runs.
struct Carrier {
  FabricName fabric;
  RingRoute route;
  Arguments arguments;
};
const std::vector<Carrier> kCarriers = {
    {FabricName::sim, RingRoute::torus, {"--fabric", "sim"}},
    {FabricName::shm, RingRoute::torus, {"--fabric", "shm", "--route", "torus"}},
    {FabricName::shm, RingRoute::direct, {"--fabric", "shm", "--route", "direct"}},
};

/// An option, its key in the JSON, and what the key then says.
struct Setting {
  const char* option;
  const char* value;
  const char* key;
  json said;
  bool PolicyEffects::*is_read;
};
const std::vector<Setting> kSettings = {
    {"--order", "rank", "order", "rank", &PolicyEffects::by_exchange},
    {"--per-visit", "3", "packets_per_visit", 3, &PolicyEffects::packets_per_visit},
    {"--queues", "3", "output_queues", 3, &PolicyEffects::output_queues},
    {"--drain", "first-fit", "drain", "first-fit", &PolicyEffects::by_link},
    {"--tying", "any", "tying", "any", &PolicyEffects::by_link},
    {"--routing", "deterministic", "routing", "deterministic", &PolicyEffects::by_link},
    {"--tie", "split", "tie", "split", &PolicyEffects::by_link},
};

class PolicyEffectsOf : public ::testing::TestWithParam<Sender> {
 protected:
  PolicyEffectsOf() {
    if (GetParam().arguments.front() != "replay") return;
    EXPECT_EQ(
        run({"alltoall", "--torus", "2x2", "--bytes", "300", "--export", "run.goal"}, {"--quiet"})
            .exit_code,
        0);
  }
  Ended run(const Arguments& arguments, const Arguments& more) const {
    return run_command(arguments + more, {.directory = directory_.path()});
  }
  static PolicyEffects effects(const Carrier& carrier) {
    return policy_effects(GetParam().sent, carrier.fabric, carrier.route);
  }
  json expect_accepted(const Arguments& arguments) const {
    const Ended ended = run(arguments, {"--quiet", "--json", "-"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ended.exit_code == 0 ? ended.json() : json();
  }
  /// In one line that names option or policy and the command, and nothing is written.
  void expect_without_effect(const Arguments& arguments, const std::string& subject) const {
    expect_refusal(directory_, arguments + Arguments{"--json", "result.json"},
                   {subject + " has no effect on " + GetParam().what});
  }
  TemporaryDirectory directory_;
};
INSTANTIATE_TEST_SUITE_P(Every, PolicyEffectsOf, ::testing::ValuesIn(kSenders),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(PolicyEffectsOf, SettingIsReadOrRefused) {
  for (const Carrier& carrier : kCarriers)
    for (const Setting& setting : kSettings) {
      const Arguments arguments =
          GetParam().arguments + carrier.arguments + Arguments{setting.option, setting.value};
      SCOPED_TRACE(::testing::PrintToString(arguments));
      if (effects(carrier).*setting.is_read)
        EXPECT_EQ(expect_accepted(arguments)[setting.key], setting.said);
      else
        expect_without_effect(arguments, setting.option);
    }
}

TEST_P(PolicyEffectsOf, RuleOfTheRoutersIsReadOrRefused) {
  for (const Carrier& carrier : kCarriers)
    for (const char* option : {"--no-transit-first", "--no-bubble"}) {
      const Arguments arguments = GetParam().arguments + carrier.arguments + Arguments{option};
      SCOPED_TRACE(::testing::PrintToString(arguments));
      if (effects(carrier).by_link)
        expect_accepted(arguments);
      else
        expect_without_effect(arguments, option);
    }
}

TEST_P(PolicyEffectsOf, KeysSayTheSettingsAndNullWhereNothingReadsThem) {
  for (const Carrier& carrier : kCarriers) {
    const json report = expect_accepted(GetParam().arguments + carrier.arguments);
    SCOPED_TRACE(report.dump());
    EXPECT_EQ(report["policy"], "random");
    EXPECT_TRUE(report.contains("throttle") && report["throttle"].is_null());
    for (const Setting& setting : kSettings) {
      ASSERT_TRUE(report.contains(setting.key)) << setting.key;
      EXPECT_EQ(report[setting.key].is_null(), !(effects(carrier).*setting.is_read)) << setting.key;
    }
  }
}

/// What a policy's difference from `random` is made of.
constexpr std::array<std::string_view, 6> kByLinkOnly = {"first-fit",     "round-robin",
                                                         "any-fifo",      "fifo-per-dimension",
                                                         "deterministic", "random-dimensions"};

bool is_read(std::string_view policy, const PolicyEffects& effects) {
  if (policy == "random") return true;
  if (std::ranges::find(kByLinkOnly, policy) != kByLinkOnly.end()) return effects.by_link;
  // Two phases have a queue per direction besides their relays.
  const bool has_queues = policy == "two-phase" || policy.starts_with("queue");
  return (has_queues && effects.output_queues) ||
         (!policy.starts_with("queue") && effects.by_exchange);
}

TEST_P(PolicyEffectsOf, PolicyRunsOrIsRefused) {
  for (const Carrier& carrier : kCarriers)
    for (const Policy* policy : built_in_policies()) {
      const std::string name(policy->name());
      const Arguments arguments =
          GetParam().arguments + carrier.arguments + Arguments{"--policy", name};
      SCOPED_TRACE(::testing::PrintToString(arguments));
      if (GetParam().takes_every_policy || is_read(name, effects(carrier)))
        EXPECT_EQ(expect_accepted(arguments)["policy"], name);
      else
        expect_without_effect(arguments, "policy " + name);
    }
}

TEST_P(PolicyEffectsOf, UnknownNameOrNumberIsRefused) {
  const TemporaryDirectory empty;
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--policy", "none"},
                                                        {"--order", "none"},
                                                        {"--drain", "none"},
                                                        {"--tying", "none"},
                                                        {"--routing", "none"},
                                                        {"--tie", "none"},
                                                        {"--queues", "0"},
                                                        {"--queues", "65537"},
                                                        {"--per-visit", "0"}})
    expect_refusal(empty, GetParam().arguments + Arguments{option, value}, {value});
}

}  // namespace
}  // namespace toroid::testing
