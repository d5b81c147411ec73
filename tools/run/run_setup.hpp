// What a verb runs on, checked before anything is measured or written.
#pragma once

#include <string>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// What a verb sends.
struct Sender {
  std::string what;  ///< names the run in refusals, as "fft --method slab"
  Sent sent;
  /// Also policies that differ from `random` only in what it does not read.
  bool takes_every_policy = false;
};

struct RunSetup {
  Shape shape;
  Machine machine;
  RunOptions run;
  PolicyEffects effects;
};

/// The options as typed, and what follows from them: the route, the rule of routing.
RunSetting setting_of(const CLI::App& verb, const Sender& sender, const CommonOptions& common,
                      const TorusOptions& torus, const Machine& machine);

/// Throws BadInput where a number behind a machine's name ("bgl:injection_fifos=4") has no effect.
void refuse_machine_keys_without_effect(const std::string& machine, const RunSetting& setting);

/// Throws BadInput where an option or the policy has no effect, or the torus is none. On `ofi` it
/// joins the run's other processes. `setting`: setting_of(), perhaps with changes of the verb's.
RunSetup set_up(const CLI::App& verb, const RunSetting& setting, const Sender& sender,
                const CommonOptions& common, const TorusOptions& torus, const Machine& machine);
/// The same with the setting as it follows from the options.
RunSetup set_up(const CLI::App& verb, const Sender& sender, const CommonOptions& common,
                const TorusOptions& torus);

}  // namespace toroid
