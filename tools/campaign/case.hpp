// What a campaign consists of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/command_line/cli_fwd.hpp"
#include "tools/results/json.hpp"

namespace toroid {

/// Texts as typed, each once; every combination is a case.
struct CampaignLists {
  std::vector<std::string> policies = {"all"};
  std::vector<std::string> traffics = {"all-to-all"};
  std::vector<std::string> toruses;
  std::vector<std::uint64_t> bytes = {240};
  bool mesh = false;
};
void add_campaign_lists(CLI::App& verb, CampaignLists& lists);

/// One run: everything that decides its result and is not the same in the whole campaign.
struct CampaignCase {
  const Policy* policy;
  std::shared_ptr<const Traffic> traffic;
  Shape shape;
  std::string policy_name;       ///< as typed
  std::string traffic_name;      ///< likewise
  std::uint64_t bytes;           ///< of payload per message
  std::optional<double> load{};  ///< open loop, of the bound's rate; none: one exchange

  /// The first columns of its row.
  Json json() const;
  /// A text that no other case has.
  std::string key() const { return json().dump(); }
};

/// Whether the policies are all there are. Throws BadInput where some are named besides.
bool names_all(const CampaignLists& lists);

/// By traffic, torus, size, policy: what is to be compared stands together. Throws BadInput where a
/// name is unknown or stands twice, or where a policy or a traffic cannot be had on a torus.
std::vector<CampaignCase> make_cases(const CampaignLists& lists, std::uint64_t seed);

}  // namespace toroid
