// The setup of a verb's run, checked before anything is measured or written.
#pragma once

#include <string>

#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// A verb as a sender of messages.
struct Sender {
  std::string what;  ///< the run's name in messages, e.g. "fft --method slab"
  Sent sent;
  /// Whether the verb also accepts policies that differ from `random` only in settings without
  /// effect.
  bool takes_every_policy = false;
};

struct RunSetup {
  Shape shape;
  Machine machine;
  RunOptions run;
  PolicyEffects effects;
};

/// The options as typed, and the settings that follow from them, such as the route and the routing
/// rule.
RunSetting setting_of(const CLI::App& verb, const Sender& sender, const CommonOptions& common,
                      const TorusOptions& torus, const Machine& machine);

/// Throws BadInput if a changed parameter ("bgl:injection_fifos=4") has no effect.
void refuse_machine_keys_without_effect(const std::string& machine, const RunSetting& setting);

/// Throws BadInput if an option or the policy has no effect, or the torus is invalid. On `ofi` it
/// joins the run's other processes. `setting` is the result of setting_of(), which the verb may
/// have changed.
RunSetup set_up(const CLI::App& verb, const RunSetting& setting, const Sender& sender,
                const CommonOptions& common, const TorusOptions& torus, const Machine& machine);
/// set_up() with the unchanged result of setting_of().
RunSetup set_up(const CLI::App& verb, const Sender& sender, const CommonOptions& common,
                const TorusOptions& torus);

/// Throws BadInput if failed links cut off a node from one of the peers to which it sends. Packets
/// whose peers are not known before the run, such as those that policies relay, are not checked
/// here; one that finds no path ends the run.
void check_paths(const Shape& shape, RoutingRule routing, const Failures::PeersOf& peers_of);

}  // namespace toroid
