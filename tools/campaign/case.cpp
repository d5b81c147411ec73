#include "tools/campaign/case.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/command_line/known_names.hpp"
#include "tools/command_line/option_values.hpp"
#include "tools/results/json.hpp"

namespace toroid {
namespace {

/// However it is spelled: `meaning` makes equal ones equal.
template <typename T, typename Meaning = std::identity>
void refuse_repetition(std::string_view option, const std::vector<T>& values,
                       const Meaning& meaning = {}) {
  for (auto at = values.begin(); at != values.end(); ++at)
    if (std::find_if(values.begin(), at,
                     [&](const T& before) { return meaning(before) == meaning(*at); }) != at)
      throw BadInput(fmt::format("{} names {} twice", option, *at));
}

std::vector<std::string> names_of_policies(const CampaignLists& lists) {
  if (!names_all(lists)) return lists.policies;
  std::vector<std::string> all;
  for (const Policy* policy : built_in_policies()) all.emplace_back(policy->name());
  return all;
}

/// With what went wrong, for whom.
template <typename Make>
auto made_for(std::string_view name, const Shape& shape, const Make& make) {
  try {
    return make();
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{} on {}: {}", name, shape.text(), error.what()));
  }
}

}  // namespace

bool names_all(const CampaignLists& lists) {
  if (std::ranges::find(lists.policies, "all") == lists.policies.end()) return false;
  if (lists.policies.size() > 1)
    throw BadInput("--policies names all and others: all stands alone");
  return true;
}

void add_campaign_lists(CLI::App& verb, CampaignLists& lists) {
  begin_group(verb, "Cases");
  add_name_list(verb, "--policies", lists.policies, "policy", policy_names_and_all(),
                "names with commas between them, or all");
  add_name_list(verb, "--traffic", lists.traffics, "traffic", traffic_pattern_names(),
                "likewise: patterns of traffic");
  add_text_list(verb, "--torus", lists.toruses, "likewise: extents, as 8x8x8,16x16x16m")
      ->type_name("SHAPES")
      ->required();
  add_byte_list(verb, "--bytes", lists.bytes, {.min = 1, .max = std::uint64_t{1} << 32},
                "likewise: payload per (source, destination) pair, as 240,1KiB or 1KiB:64KiB:x2");
  verb.add_flag("--mesh", lists.mesh, "every dimension of every torus a mesh");
}

Json CampaignCase::json() const {
  Json row = {{"policy", policy_name},
              {"traffic", traffic_name},
              {"torus", shape.text()},
              {"nodes", shape.size()},
              {"bytes", bytes}};
  if (load) row["offered"] = *load;
  return row;
}

std::vector<CampaignCase> make_cases(const CampaignLists& lists, std::uint64_t seed) {
  const std::vector<std::string> policies = names_of_policies(lists);
  refuse_repetition("--policies", policies,
                    [](const std::string& name) { return policy_by_name(name).name(); });
  refuse_repetition("--traffic", lists.traffics);
  refuse_repetition("--torus", lists.toruses,
                    [&](const std::string& text) { return Shape::parse(text, lists.mesh).text(); });
  refuse_repetition("--bytes", lists.bytes);
  std::vector<CampaignCase> cases;
  for (const std::string& traffic : lists.traffics)
    for (const std::string& torus : lists.toruses)
      for (const std::uint64_t bytes : lists.bytes) {
        const Shape shape = Shape::parse(torus, lists.mesh);
        const std::shared_ptr<const Traffic> pattern = make_traffic(traffic, shape, bytes, seed);
        for (const std::string& policy : policies)
          cases.push_back({&policy_by_name(policy), pattern, shape, policy, traffic, bytes});
      }
  return cases;
}

}  // namespace toroid
