// Where each option has an effect: one table, from which refusals, the notes of help and their
// tests follow.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// What a run is set to, by the names that the table uses: options ("--fabric" is "shm") and
/// "sends", the kind of its messages; "workload", a campaign's, as "fft:slab" or "replay";
/// "throttle", where the policy has one; "twist" of the torus.
class RunSetting {
 public:
  /// `what` names the run in messages, as "fft --method slab".
  explicit RunSetting(std::string what = "") : what_(std::move(what)) {}
  /// With all options of the verb: as typed, else their defaults. Its name is the verb's, unless
  /// another is given.
  explicit RunSetting(const CLI::App& verb, std::string what = "");

  /// As if typed.
  RunSetting& set(std::string_view name, std::string_view value);
  /// As if not typed: its value asks for nothing, as --planes 0.
  RunSetting& unset(std::string_view name);
  /// The value, else the default; "" where there is none.
  std::string_view get(std::string_view name) const;
  /// Whether the verb has it, or it was set.
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
  std::string_view options;  ///< names with blanks between them; "--tie=both": that value of it
  std::string_view verbs;    ///< of these verbs only, with blanks between them; empty: of all
  /// Alternatives with " | " between them, of requirements with " & " between them. A requirement:
  /// "--route torus,auto" one of these values, typed or not; "--planes" typed; "no --loop" not.
  std::string_view where;
};

/// An option may have several rows for a verb, of which all must hold; without a row it always has
/// an effect.
std::span<const OptionEffect> option_effects();

/// Whether the option has an effect.
bool has_effect(std::string_view option, std::string_view verb, const RunSetting& setting);
/// "--drain has no effect on hello with --fabric shm --route direct (it works with --route torus)";
/// empty where it has one.
std::string without_effect(std::string_view option, std::string_view verb,
                           const RunSetting& setting);
/// Throws BadInput with that where the option has none.
void require_effect(std::string_view option, std::string_view verb, const RunSetting& setting);
/// Throws BadInput where an option was typed that has no effect.
void refuse_options_without_effect(const CLI::App& verb, const RunSetting& setting);
/// What the table calls an option or argument: "--method", "KIND".
std::string key_of(const CLI::Option& option);
/// For help: "only with --method slab"; empty where the verb's other options do not matter.
std::string effect_note(const CLI::Option& option, const CLI::App& verb);

}  // namespace toroid
