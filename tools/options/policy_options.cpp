#include "tools/options/policy_options.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "tools/options/builtin_names.hpp"
#include "tools/options/named_policies.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

template <typename T, std::size_t n>
std::optional<T> chosen(std::string_view what, const std::array<std::string_view, n>& names,
                        const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_choice<T>(what, names, text);
}

template <typename T>
std::optional<T> given(T number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

/// Accepts a built-in policy or a user's policy. A user's policy is checked only when it is loaded.
CLI::Validator one_policy(std::span<const std::string_view> names) {
  CLI::Validator known = one_of_with_parameters("policy", names);
  return {[known](const std::string& text) {
            if (text.starts_with('@') || names_policy_file(text)) return std::string();
            if (text.ends_with(".py"))
              return fmt::format(
                  "'{}': a Python program passes its policies itself, e.g. "
                  "toroid.compare(policies=[Mine()]) (docs/PYTHON.md)",
                  shortened(text));
            std::string typed = text;
            return known(typed);
          },
          known.get_description()};
}

}  // namespace

const Policy& PolicyOptions::named() const {
  return policy_named(policy);
}

SettingChanges PolicyOptions::changes() const {
  return {.order = chosen<OrderRule>("order", kOrderRuleNames, order),
          .packets_per_visit = given(per_visit),
          .output_queues = given(queues),
          .drain = chosen<DrainRule>("drain rule", kDrainRuleNames, drain),
          .tying = fifo_links.empty() ? chosen<FifoTying>("tying", kFifoTyingNames, tying)
                                      : std::optional(FifoLinks::parse(fifo_links)),
          .routing = chosen<RoutingRule>("routing", kRoutingRuleNames, routing),
          .tie = chosen<TieRule>("tie rule", kTieRuleNames, tie)};
}

void add_policy_list(CLI::App& verb, const std::string& option,
                     std::vector<std::string>& policies) {
  add_name_list(verb, option, policies, one_policy(policy_names_and_all()),
                "comma-separated names, or all");
}

void add_policy_options(CLI::App& verb, PolicyOptions& options) {
  begin_group(verb, "Policy");
  verb.add_option(
          "--policy", options.policy,
          "policy for sending messages; the other options here change its settings; details: "
          "toroid info --policies")
      ->type_name("NAME")
      ->check(one_policy(policy_names()))
      ->capture_default_str();
  verb.add_option("--order", options.order,
                  "order in which a node visits its peers (default: the policy's)")
      ->check(one_of("order", kOrderRuleNames));
  verb.add_option(
          "--per-visit", options.per_visit,
          "packets per visit to a peer, the patent's b; default: 1 on sim; elsewhere 32, or "
          "whole messages if they may move by put")
      ->transform(whole_number(1, 1u << 24));
  verb.add_option("--queues", options.queues,
                  "output queues per node, the patent's L; default: the policy's, usually 1")
      ->transform(whole_number(1, kMostQueues));
  verb.add_option("--drain", options.drain,
                  "how to choose the injection FIFO (default: the policy's, usually least-full)")
      ->check(one_of("drain rule", kDrainRuleNames));
  verb.add_option("--tying", options.tying,
                  "links that an injection FIFO serves (default: the policy's, usually "
                  "per-direction)")
      ->check(one_of("tying", kFifoTyingNames));
  verb.add_option(
          "--fifo-links", options.fifo_links,
          "table of the links that each injection FIFO serves, e.g. X+X-,Y+Y-,any; replaces "
          "the policy's tying")
      ->type_name("LINKS,...")
      ->check(not_empty());
  verb.add_option(
          "--routing", options.routing,
          "routing of packets; priority: in the priority channel, from FIFOs of high priority "
          "(default: the policy's, usually adaptive)")
      ->check(one_of("routing", kRoutingRuleNames));
  verb.add_option(
          "--tie", options.tie,
          "direction that a packet takes if both ways round a ring are equally long (default: "
          "the policy's, else the machine's, usually alternate)")
      ->check(one_of("tie rule", kTieRuleNames));
}

}  // namespace toroid
