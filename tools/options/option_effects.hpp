// A table of the conditions under which each option has an effect. Refusals, notes in help texts
// and their tests are generated from it.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// The settings of a run, by the names that the table uses. Most are options and arguments
/// ("--fabric" has the value "shm"). The others are "verb"; "sends", the kind of messages that the
/// run sends; "workload", for a campaign, e.g. "fft:slab" or "replay"; "throttle", if the policy
/// has a throttle; "twist", if the torus is twisted; "--routing=priority", if all packets have high
/// priority, and "high-priority", if some may have it; and
/// "--machine=priority_reception_fifos=0", if a machine has none of these FIFOs.
class RunSetting {
 public:
  /// `what` names the run in messages, e.g. "fft --method slab".
  explicit RunSetting(std::string what = "") : what_(std::move(what)) {}
  /// Takes all options of the verb, as typed or with their defaults. `what` is the run's name; if
  /// it is empty, the run has the verb's name.
  explicit RunSetting(const CLI::App& verb, std::string what = "");

  /// Sets a value as if it had been typed.
  RunSetting& set(std::string_view name, std::string_view value);
  /// Treats a value as not typed, because it asks for nothing, as --planes 0 does.
  RunSetting& unset(std::string_view name);
  /// The typed value or the default; "" if there is neither.
  std::string_view get(std::string_view name) const;
  /// Whether the verb has an option or argument of this name, or the name was set.
  bool knows(std::string_view name) const;
  bool is_given(std::string_view name) const;
  const std::string& what() const { return what_; }

 private:
  struct Value {
    std::string text;
    bool is_given;
  };
  std::string what_;
  std::map<std::string, Value, std::less<>> values_;
};

/// A row of the table.
struct OptionEffect {
  std::string_view options;  ///< names separated by blanks; "--tie=both" is one value of --tie
  std::string_view verbs;    ///< verbs to which the row applies, separated by blanks; empty if all
  /// Alternatives separated by " | ". Each consists of requirements separated by " & ". A
  /// requirement is "--route torus,auto" (one of these values, typed or default), "--planes"
  /// (typed) or "no --loop" (not typed).
  std::string_view where;
};

/// The table. If an option has several rows for a verb, it has an effect only if all of them hold.
/// An option without a row always has an effect.
std::span<const OptionEffect> option_effects();

/// Whether the option has an effect.
bool has_effect(std::string_view option, std::string_view verb, const RunSetting& setting);
/// The refusal of an option without effect, such as "--drain has no effect on hello with --fabric
/// shm --route direct (it works with --route torus)"; empty if the option has an effect.
std::string without_effect(std::string_view option, std::string_view verb,
                           const RunSetting& setting);
/// Throws BadInput with the text of without_effect() unless that is empty.
void require_effect(std::string_view option, std::string_view verb, const RunSetting& setting);
/// Throws BadInput if an option without effect was typed.
void refuse_options_without_effect(const CLI::App& verb, const RunSetting& setting);
/// The name of an option or argument in the table: "--method", "KIND".
std::string key_of(const CLI::Option& option);
/// The note for help, such as "only with --method slab"; empty if the option has an effect whatever
/// the other options are.
std::string effect_note(const CLI::Option& option, const CLI::App& verb);

}  // namespace toroid
