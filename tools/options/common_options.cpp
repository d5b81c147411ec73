#include "tools/options/common_options.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "hal/check.hpp"
#include "packet/node/settings.hpp"
#include "router/ofi/message_or_write.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/route_and_transfer.hpp"
#include "tools/options/synonyms.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 2> kBindingNames = {"none", "core"};

}  // namespace

void add_peers_option(CLI::App& verb, Rank& peers) {
  verb.add_option(
          "--peers", peers,
          "run a part of the exchange: each node sends only to the first N peers of its order")
      ->transform(whole_number(1, 1u << 24));
}

void add_machine_option(CLI::App& verb, std::string& machine) {
  std::vector<std::string_view> names{"bgl"};
  for (const MachinePreset& preset : machine_presets()) names.push_back(preset.name);
  verb.add_option("--machine", machine,
                  "machine file or preset; append :KEY=VALUE to override a parameter")
      ->type_name("NAME|FILE")
      ->check(suggested(names))
      ->capture_default_str();
}

void add_seed_option(CLI::App& verb, std::uint64_t& seed) {
  verb.add_option("--seed", seed, "seed of all random choices")
      ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
}

void add_json_option(CLI::App& verb, std::string& json) {
  add_file_option(verb, "--json", json, "write the result as JSON (-: to standard output)");
}

void add_worker_options(CLI::App& verb, CommonOptions& options) {
  verb.add_option(
          "--threads", options.threads,
          "worker threads per process (default on shm and ofi: one per core; on sim: one, or more "
          "for large tori)")
      ->transform(whole_number(1, 1024));
  verb.add_option("--bind", options.bind, "what each worker is bound to")
      ->check(one_of("binding", kBindingNames))
      ->capture_default_str();
}

void add_output_options(CLI::App& verb, CommonOptions& options) {
  begin_group(verb, "Output");
  add_json_option(verb, options.json);
  verb.add_flag("--quiet", options.quiet, "print neither table nor progress");
}

namespace {

CLI::Validator fabric_name() {
  CLI::Validator known = one_of("fabric", kFabricNames);
  const auto check = [known](const std::string& text) {
    const std::string unknown = known(text);
    const std::string why = unknown.empty() ? "" : wrong_fabric(text);
    return why.empty() ? unknown : why;
  };
  return {check, known.get_description()};
}

void add_fabric_options(CLI::App& verb, CommonOptions& options) {
  begin_group(verb, "Fabric");
  verb.add_option("--fabric", options.fabric,
                  "fabric that carries the packets; time is virtual on sim, otherwise wall-clock")
      ->check(fabric_name())
      ->capture_default_str();
  add_worker_options(verb, options);
  verb.add_option("--route", options.route,
                  "packets on shm and ofi go hop by hop (torus) or straight (direct); auto: direct "
                  "unless options or the policy set drain, tying, routing, tie, failures or router "
                  "rules")
      ->check(one_of("route", kRouteNames))
      ->capture_default_str();
  verb.add_option(
          "--transfer", options.transfer,
          "move messages in packets or by put, from array to array; put needs the direct route or, "
          "on sim, a DMA engine (default: auto; on sim, packets)")
      ->check(one_of("transfer", kTransferModeNames));
  verb.add_option("--stall", options.stall, "end the run after this many seconds without progress")
      ->check(number(0.1, 1e6))
      ->capture_default_str();
  verb.add_option("--limit", options.limit,
                  "end a run that takes more than this many seconds, and say what its nodes do")
      ->type_name("SECONDS")
      ->check(number(0.1, 1e6));
  verb.add_option("--limit-cycles", options.limit_cycles,
                  "the same for a number of cycles of virtual time")
      ->type_name("CYCLES")
      ->check(whole_number(1, 1000000000000000));
}

void add_process_options(CLI::App& verb, CommonOptions& options) {
  verb.add_option("--provider", options.provider,
                  "libfabric provider (default: the best that all processes have)")
      ->type_name("PROVIDER")
      ->check(suggested(kProviderNames))
      ->check(not_empty());
  verb.add_flag("--unsafe-provider", options.unsafe_provider,
                "allow --provider udp;ofi_rxd or sockets, although strangers can end the run by "
                "sending to their ports")
      ->needs(verb.get_option("--provider"));
  verb.add_option(
          "--frames", options.frames,
          "how frames travel between processes: as messages, or by remote writes (long puts by "
          "remote reads); default auto: writes if all processes can and they are not slower")
      ->check(one_of("frames", kFrameWayNames));
}

void add_failure_options(CLI::App& verb, TorusOptions& options) {
  verb.add_option("--fail-link", options.failures.links,
                  "fail this link, e.g. '(0,0,0)X+'; add @CYCLE to fail it later")
      ->type_name("LINK[@CYCLE]")
      ->allow_extra_args(false);
  verb.add_option("--fail-node", options.failures.nodes,
                  "fail this node, e.g. '(1,2,3)'; add @CYCLE to fail it later")
      ->type_name("NODE[@CYCLE]")
      ->allow_extra_args(false);
  verb.add_flag("--long-way", options.failures.long_ways,
                "send packets the long way round if failed links cut all their shortest paths");
}

void add_link_error_options(CLI::App& verb, LinkErrorOptions& options) {
  verb.add_option("--link-error", options.rates,
                  "errors per packet on all links, e.g. 1e-4, or on one link, e.g. 1e-3@(0,0,0)X+; "
                  "links then check packets and resend faulty ones")
      ->type_name("RATE[@LINK]")
      ->allow_extra_args(false);
  add_link_fault_options(verb, options);
}

}  // namespace

void add_link_fault_options(CLI::App& verb, LinkErrorOptions& options) {
  verb.add_option("--link-faults", options.faults,
                  "kinds of link errors: drop, corrupt, duplicate, reorder, delay, silent; "
                  "all: all except silent")
      ->type_name("FAULTS")
      ->capture_default_str();
  verb.add_option("--link-burst", options.burst,
                  "number of consecutive packets that each fault hits")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  verb.add_option("--link-error-limit", options.limit,
                  "a link with more errors than this fails during the run; with 0, no link does")
      ->check(whole_number(0, 1'000'000'000))
      ->capture_default_str();
}

void add_common_options(CLI::App& verb, CommonOptions& options) {
  begin_group(verb, "Run");
  add_machine_option(verb, options.machine);
  add_seed_option(verb, options.seed);
  add_fabric_options(verb, options);
  add_output_options(verb, options);
  begin_group(verb, "Fabric");
  add_process_options(verb, options);
}

void add_torus_options(CLI::App& verb, TorusOptions& options) {
  begin_group(verb, "Torus");
  verb.add_option("--torus", options.torus,
                  "extents, e.g. 8x8x8; 8x8x4m: Z is a mesh; 8x8x8x2t: 2 ranks on each node; "
                  "8x4@YX4: going once round Y shifts X by 4")
      ->type_name("SHAPE")
      ->required();
  verb.add_flag("--mesh", options.mesh, "make every dimension a mesh");
  add_failure_options(verb, options);
  add_link_error_options(verb, options.link_errors);
  add_policy_options(verb, options.policy);
  verb.add_flag(
      "--no-transit-first", options.no_transit_first,
      "links serve packets in transit and injected packets in one round robin, instead of "
      "serving packets in transit first");
  verb.add_flag("--no-bubble", options.no_bubble, "switch off the bubble rule: may deadlock");
}

namespace {

bool all_work(const FailureList& failed) {
  return failed.links.empty() && failed.nodes.empty();
}

}  // namespace

Shape shape_of(const TorusOptions& torus) {
  const Shape shape = Shape::parse(torus.torus, torus.mesh);
  return all_work(torus.failures) && !torus.failures.long_ways
             ? shape
             : shape.with_failures(torus.failures);
}

void refuse_twisted(const Shape& shape) {
  if (shape.is_twisted())
    throw BadInput(
        fmt::format("torus {} is twisted: its lines and planes are not tori, so exchanges within "
                    "them have no bound",
                    shape.text()));
}

/// On the direct route packets cross no links. On `ofi` they still travel in frames between
/// processes, and a rate without a link applies to frames.
void refuse_link_errors_without_effect(const LinkErrors& errors, FabricName fabric,
                                       RingRoute route) {
  if (!errors.are_checked() || fabric == FabricName::sim || route != RingRoute::direct) return;
  if (fabric == FabricName::shm)
    throw BadInput("link errors need --route torus; --route direct crosses no links");
  for (const LinkErrors::Rate& rate : errors.rates)
    if (!rate.link.empty())
      throw BadInput("--link-error RATE@LINK needs --route torus; --route direct crosses no links");
}

LinkErrors LinkErrorOptions::errors(const Machine& machine) const {
  LinkErrors errors{
      .rates = {}, .faults = parse_link_faults(faults), .burst = burst, .limit = limit};
  if (machine.link_error_rate > 0) errors.rates.push_back({machine.link_error_rate, ""});
  for (const std::string& rate : rates) errors.rates.push_back(parse_link_error(rate));
  return errors.are_checked() ? errors : LinkErrors();
}

Binding binding_of(const CommonOptions& common) {
  return parse_choice<Binding>("binding", kBindingNames, common.bind);
}

}  // namespace toroid
