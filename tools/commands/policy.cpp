// toroid policy: policies of one's own, from a first source to a check.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "tools/command_line/option_values.hpp"
#include "tools/command_line/options.hpp"
#include "tools/commands/commands.hpp"
#include "tools/policies/check/check.hpp"
#include "tools/policies/policy_project.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 2> kActions = {"new", "check"};

struct PolicyVerb {
  const CLI::App* verb = nullptr;
  std::string action;
  std::string name;
  std::string directory;
  PolicyCheckOptions check;
};

/// Refuses what was typed for another action.
void refuse_for_another_action(const PolicyVerb& options, std::string_view action,
                               std::initializer_list<const char*> own) {
  for (const char* option : own)
    if (options.action != action && options.verb->count(option) > 0)
      throw BadInput(
          fmt::format("{} is for policy {}, not for policy {}", option, action, options.action));
}

int run(const PolicyVerb& options) {
  refuse_for_another_action(options, "new", {"DIR"});
  refuse_for_another_action(options, "check", {"--json", "--seed", "--limit"});
  if (options.action == "check") return check_policy(options.name, options.check);
  const std::string text = write_policy_project(options.name, options.directory);
  if (!options.check.quiet) fmt::print("{}", text);
  return 0;
}

}  // namespace

CommandRun add_policy_command(CLI::App& app) {
  auto options = std::make_shared<PolicyVerb>();
  CLI::App* command = app.add_subcommand("policy", "a policy of one's own: its source, a check");
  options->verb = command;
  command
      ->add_option("ACTION", options->action,
                   "new writes a folder with a source that compiles; check runs a policy over "
                   "small cases and says what it breaks")
      ->required()
      ->check(one_of("action", kActions));
  command
      ->add_option("NAME", options->name,
                   "of the new policy, as nearest; or a policy that is there, as ./nearest.so")
      ->required()
      ->check(not_empty());
  command->add_option("DIR", options->directory, "of new: where the folder is written; else here")
      ->check(not_empty());
  begin_group(*command, "Check");
  add_seed_option(*command, options->check.seed);
  command
      ->add_option("--limit", options->check.limit, "seconds after which a case counts as hanging")
      ->type_name("SECONDS")
      ->check(number(0.1, 3600))
      ->capture_default_str();
  begin_group(*command, "Output");
  add_json_option(*command, options->check.json);
  command->add_flag("--quiet", options->check.quiet, "print nothing but refusals");
  add_examples(*command, {{"a folder with a policy that compiles", "toroid policy new nearest"},
                          {"what a policy breaks, and how far it is from the bound",
                           "toroid policy check nearest/nearest.so"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
