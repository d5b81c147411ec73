// Every policy and every setting of a policy, in every command on every fabric and route: it is
// accepted if it has an effect and refused by name if not. The JSON shows which.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hal/machine.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/ofi.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

/// A command line, what it sends, and its name in refusals.
struct EffectSender {
  const char* name;
  Arguments arguments;
  Sent sent;
  std::string what;
  bool takes_every_policy = false;
};
void PrintTo(const EffectSender& sender, std::ostream* out) {
  *out << sender.name;
}

Arguments fft(const char* torus, const std::string& method) {
  return Arguments{"fft", "--torus", torus, "--size", "4", "--method", method} + kEstimate;
}
Arguments bench_kind(const std::string& kind) {
  return {"bench", kind, "--torus", "2x2", "--batches", "1", "-i", "1", "-x", "0", "--sizes", "8"};
}

const std::vector<EffectSender> kSenders = {
    {"alltoall", {"alltoall", "--torus", "2x2", "--bytes", "300"}, Sent::exchanges, "alltoall"},
    {"fft_volumetric", fft("2x2", "volumetric"), Sent::exchanges, "fft --method volumetric"},
    {"fft_slab", fft("2x2", "slab"), Sent::exchanges, "fft --method slab"},
    {"fft_rows", fft("2x2", "rows"), Sent::exchanges, "fft --method rows"},
    {"fft_orbital", fft("2x2x2", "orbital"), Sent::shifts, "fft --method orbital", true},
    {"fft_broadcasts", fft("2x2x2", "orbital") + Arguments{"--variant", "bcr"}, Sent::streams,
     "fft --method orbital --variant bcr", true},
    {"hello", {"hello", "--torus", "2x2"}, Sent::streams, "hello"},
    {"replay", {"replay", "run.goal", "--torus", "2x2"}, Sent::messages, "replay"},
    {"poisson",
     {"poisson", "--torus", "2x2", "--size", "4"},
     Sent::exchanges,
     "poisson --method volumetric"},
    {"bench_latency", bench_kind("latency"), Sent::streams, "bench latency"},
    {"bench_alltoall", bench_kind("alltoall"), Sent::exchanges, "bench alltoall"},
};

/// A fabric and route. A run on ofi is a job of one process: refusals do not depend on the number
/// of processes.
struct Carrier {
  const char* name;
  FabricName fabric;
  RingRoute route;
  Arguments arguments;
};
void PrintTo(const Carrier& carrier, std::ostream* out) {
  *out << carrier.name;
}
std::vector<Carrier> carriers() {
  const auto on = [](const std::string& fabric, const std::string& route) {
    return Arguments{"--fabric", fabric, "--route", route};
  };
  std::vector<Carrier> all = {
      {"sim", FabricName::sim, RingRoute::torus, {"--fabric", "sim"}},
      {"shm_torus", FabricName::shm, RingRoute::torus, on("shm", "torus")},
      {"shm_direct", FabricName::shm, RingRoute::direct, on("shm", "direct")},
  };
  if (!has_ofi()) return all;
  all.push_back({"ofi_torus", FabricName::ofi, RingRoute::torus, on("ofi", "torus")});
  all.push_back({"ofi_direct", FabricName::ofi, RingRoute::direct, on("ofi", "direct")});
  return all;
}

/// An option, its key in the JSON, and the key's value with this option.
struct EffectSetting {
  const char* option;
  const char* value;
  const char* key;
  json said;
  bool PolicyEffects::*is_read;
};
const std::vector<EffectSetting> kEffectSettings = {
    {"--order", "rank", "order", "rank", &PolicyEffects::by_exchange},
    {"--per-visit", "3", "packets_per_visit", 3, &PolicyEffects::packets_per_visit},
    {"--queues", "3", "output_queues", 3, &PolicyEffects::output_queues},
    {"--drain", "first-fit", "drain", "first-fit", &PolicyEffects::by_link},
    {"--tying", "any", "tying", "any", &PolicyEffects::by_link},
    {"--routing", "deterministic", "routing", "deterministic", &PolicyEffects::by_link},
    {"--tie", "split", "tie", "split", &PolicyEffects::by_link},
};

class PolicyEffectsOf : public ::testing::TestWithParam<std::tuple<EffectSender, Carrier>> {
 protected:
  PolicyEffectsOf() {
    if (sender().arguments.front() != "replay") return;
    EXPECT_EQ(
        run({"alltoall", "--torus", "2x2", "--bytes", "300", "--export", "run.goal"}, {"--quiet"})
            .exit_code,
        0);
  }
  static const EffectSender& sender() { return std::get<0>(GetParam()); }
  static const Carrier& carrier() { return std::get<1>(GetParam()); }
  static PolicyEffects effects() {
    return policy_effects(sender().sent, carrier().fabric, carrier().route);
  }
  static Arguments arguments(const Arguments& more = {}) {
    return sender().arguments + carrier().arguments + more;
  }
  Ended run(const Arguments& arguments, const Arguments& more) const {
    return run_command(arguments + more, {.directory = directory_.path()});
  }
  json expect_accepted(const Arguments& arguments) const {
    const Ended ended = run(arguments, {"--quiet", "--json", "-"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ended.exit_code == 0 ? ended.json() : json();
  }
  /// Expects a refusal in one line that names the option or policy and the command, and no output
  /// files. On ofi the refusal comes before any provider is opened, because few computers have the
  /// provider given here.
  void expect_without_effect(const Arguments& arguments, const std::string& subject) const {
    Arguments all = arguments + Arguments{"--json", "result.json"};
    if (carrier().fabric == FabricName::ofi) all = all + Arguments{"--provider", "cxi"};
    expect_refusal(directory_, all, {subject + " has no effect on " + sender().what});
  }
  TemporaryDirectory directory_;
};
INSTANTIATE_TEST_SUITE_P(Every, PolicyEffectsOf,
                         ::testing::Combine(::testing::ValuesIn(kSenders),
                                            ::testing::ValuesIn(carriers())),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_on_" +
                                  std::get<1>(info.param).name;
                         });

/// One run uses all settings, router rules and ring options that have an effect on it. Each of the
/// others is refused by itself.
TEST_P(PolicyEffectsOf, SettingHasAnEffectOrIsRefused) {
  Arguments read;
  for (const EffectSetting& setting : kEffectSettings)
    if (effects().*setting.is_read)
      read = read + Arguments{setting.option, setting.value};
    else
      expect_without_effect(arguments({setting.option, setting.value}), setting.option);
  for (const char* option : {"--no-transit-first", "--no-bubble"})
    if (effects().by_link)
      read.push_back(option);
    else
      expect_without_effect(arguments({option}), option);
  const bool is_sim = carrier().fabric == FabricName::sim;
  for (const Arguments& option : {Arguments{"--bind", "none"}, {"--stall", "5"}})
    if (is_sim)
      expect_without_effect(arguments(option), option[0]);
    else
      read = read + option;
  if (is_sim) expect_without_effect(arguments({"--route", "torus"}), "--route");
  const json report = expect_accepted(arguments(read));
  for (const EffectSetting& setting : kEffectSettings) {
    if (!(effects().*setting.is_read)) continue;
    EXPECT_EQ(report[setting.key], setting.said) << setting.key;
  }
}

TEST_P(PolicyEffectsOf, JsonHasNullForSettingsWithoutEffect) {
  const json report = expect_accepted(arguments());
  SCOPED_TRACE(report.dump());
  EXPECT_EQ(report["policy"], "random");
  EXPECT_TRUE(report.contains("throttle") && report["throttle"].is_null());
  for (const EffectSetting& setting : kEffectSettings) {
    ASSERT_TRUE(report.contains(setting.key)) << setting.key;
    EXPECT_EQ(report[setting.key].is_null(), !(effects().*setting.is_read)) << setting.key;
  }
}

/// Policies that differ from `random` only in what happens at links.
constexpr std::array<std::string_view, 6> kByLinkOnly = {"first-fit",     "round-robin",
                                                         "any-fifo",      "fifo-per-dimension",
                                                         "deterministic", "random-dimensions"};

bool is_read(std::string_view policy, const PolicyEffects& effects) {
  if (policy == "random") return true;
  if (std::ranges::find(kByLinkOnly, policy) != kByLinkOnly.end()) return effects.by_link;
  // two-phase has a queue per direction besides its relays.
  const bool has_queues = policy == "two-phase" || policy.starts_with("queue");
  return (has_queues && effects.output_queues) ||
         (!policy.starts_with("queue") && effects.by_exchange);
}

bool is_taken(std::string_view policy, const EffectSender& sender, const PolicyEffects& effects) {
  return sender.takes_every_policy || is_read(policy, effects);
}

/// Returns the sender that runs the policy with this index on `carrier`. The senders that accept
/// the policy take turns.
std::string_view runner_of(std::size_t policy, const Carrier& carrier) {
  std::vector<std::string_view> takers;
  for (const EffectSender& sender : kSenders)
    if (is_taken(built_in_policies()[policy]->name(), sender,
                 policy_effects(sender.sent, carrier.fabric, carrier.route)))
      takers.push_back(sender.name);
  return takers.at(policy % takers.size());
}

/// On each fabric and route, one of the senders that accept a policy runs it. For the others, only
/// the check that would refuse the policy is called. In the thorough set all of them run it.
TEST_P(PolicyEffectsOf, PolicyRunsIfAcceptedAndIsOtherwiseRefusedByName) {
  for (std::size_t i = 0; i < built_in_policies().size(); ++i) {
    const Policy& policy = *built_in_policies()[i];
    const std::string name(policy.name());
    SCOPED_TRACE(name);
    if (!is_taken(name, sender(), effects())) {
      expect_without_effect(arguments({"--policy", name}), "policy " + name);
    } else if (is_thorough() || sender().name == runner_of(i, carrier())) {
      EXPECT_EQ(expect_accepted(arguments({"--policy", name}))["policy"], name);
    } else if (!sender().takes_every_policy) {
      EXPECT_NO_THROW(
          refuse_policy_without_effect(policy, effects(), sender().what, RunOptions(), Machine()));
    }
  }
}

TEST(PolicyOptions, RefuseUnknownNamesAndNumbers) {
  const TemporaryDirectory empty;
  for (const EffectSender& sender : scaled(kSenders))
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
      expect_refusal(empty, sender.arguments + Arguments{option, value}, {value});
}

}  // namespace
}  // namespace toroid::testing
