// toroid policy: policies of one's own, from a first source to a check.
#include <fmt/core.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "tools/command/commands.hpp"
#include "tools/lab/policy_check/check.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_effects.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/policy_export.hpp"
#include "tools/options/policy_project.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 3> kActions = {"new", "check", "export"};

struct PolicyVerb {
  const CLI::App* verb = nullptr;
  std::string action;
  std::string name;
  std::string directory;
  std::string torus;  ///< of export
  bool mesh = false;
  PolicyCheckOptions check;
};

std::string exported(const PolicyVerb& options) {
  if (options.torus.empty()) throw BadInput("policy export needs --torus, as --torus 4x4x4");
  return export_policy({options.name, options.directory, options.check.seed},
                       Shape::parse(options.torus, options.mesh));
}

int run(const PolicyVerb& options) {
  const std::string what = "policy " + options.action;
  refuse_options_without_effect(*options.verb, RunSetting(*options.verb, what));
  if (options.action == "check") return check_policy(options.name, options.check);
  const std::string text = options.action == "export"
                               ? exported(options)
                               : write_policy_project(options.name, options.directory);
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
                   "small cases and says what it breaks; export writes a built-in one as data")
      ->required()
      ->check(one_of("action", kActions));
  command
      ->add_option("NAME", options->name,
                   "of the new policy, as nearest; or a policy that is there, as ./nearest.so; of "
                   "export a built-in one, as bruck:4")
      ->required()
      ->check(not_empty());
  command
      ->add_option("DIR", options->directory,
                   "of new and export: where files are written; else here")
      ->check(not_empty());
  begin_group(*command, "Export");
  command->add_option("--torus", options->torus, "for which the tables are, as 4x4x4")
      ->type_name("SHAPE")
      ->check(not_empty());
  command->add_flag("--mesh", options->mesh, "no link closes a ring");
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
                           "toroid policy check nearest/nearest.so"},
                          {"a built-in policy as a TOML file with tables",
                           "toroid policy export farthest-first --torus 4x4x4"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
