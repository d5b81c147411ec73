#include "tools/lab/campaign/shared_settings.hpp"

#include "packet/node/settings.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/lab/campaign/campaign.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/route_and_transfer.hpp"
#include "tools/report/provenance.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

/// A hash of the machine's numbers, since a machine file may change and keep its name.
std::string numbers_of(const Machine& machine) {
  ResultHash hash;
  for (const MachineField& field : machine_fields()) hash.add(value_of(machine, field));
  return hash.text();
}

}  // namespace

unsigned CampaignSettings::at_once() const {
  if (!is_virtual()) return 1;
  return common.threads != 0 ? common.threads : cores_at_hand();
}

CampaignSettings campaign_settings(CommonOptions common, bool concerns_links) {
  const std::vector<std::string> machines = items_of(common.machine, "--machine");
  const Machine first = load_machine(machines.front());
  Machine sound = first;
  sound.link_error_rate = 0;  // each case sets and checks its own errors
  const RingRoute route = route_of(common, concerns_links);
  (void)transfer_of(common, first, route);  // refuses puts that are not possible
  common.route = name_of(kRingRouteNames, route);
  CampaignSettings settings{.common = common,
                            .machine = first,
                            .machines = machines,
                            .run = run_options(common, TorusOptions(), sound)};
  for (const std::string& name : machines)
    if (transfer_of(common, load_machine(name), settings.run.ring.route) !=
        settings.run.node.transfer)
      settings.run.node.transfer =
          TransferMode::automatic;  // only some machines can put: each case decides
  if (settings.is_virtual()) settings.run.threads = 1;  // the cores serve several runs at a time
  settings.processes = settings.run.processes.count();
  if (!settings.reports()) settings.common.quiet = true;
  return settings;
}

Json campaign_head(std::string_view verb, const CampaignSettings& settings) {
  Json head = {{"verb", verb},
               {"version", kVersion},
               {"git_hash", kGitHash},
               {"fabric", settings.common.fabric},
               {"time_kind", name_of(kTimeKinds, settings.run.fabric)},
               {"seed", settings.common.seed},
               {"machine", settings.machine.name}};
  head["transfer"] = name_of(kTransferModeNames, settings.run.node.transfer);
  if (!settings.is_virtual()) head["route"] = settings.common.route;
  if (settings.run.fabric == FabricName::ofi) head["processes"] = settings.processes;
  return head;
}

Json journal_settings(std::string_view verb, const CampaignSettings& settings) {
  Json json = campaign_head(verb, settings);
  json["machine_numbers"] = Json::array();
  for (const std::string& name : settings.machines)
    json["machine_numbers"].push_back(numbers_of(load_machine(name)));
  json["peers"] = settings.peers;
  json["arrivals"] = name_of(kArrivalRuleNames, settings.load.arrivals);
  json["window"] = settings.load.window;
  json["warm_up"] = settings.load.warm_up;
  if (settings.is_virtual()) return json;
  json["threads"] = settings.common.threads;
  json["bind"] = settings.common.bind;
  json["provider"] = settings.common.provider;
  json["frames"] = settings.common.frames;
  return json;
}

}  // namespace toroid
