// toroid policy: write, check and export policies.
#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  std::vector<std::string> toruses;  ///< for export
  bool mesh = false;
  PolicyCheckOptions check;
};

/// Refuses a second torus after a blank, which would become the name of the output folder.
void refuse_torus_as_folder(const PolicyVerb& options) {
  const std::string& folder = options.directory;
  if (folder.find('x') == std::string::npos || std::filesystem::exists(folder)) return;
  try {
    (void)Shape::parse(folder);
  } catch (const BadInput&) {
    return;
  }
  throw BadInput(fmt::format("DIR is {}, a torus; expected a folder. Several tori: --torus {},{}",
                             folder, fmt::join(options.toruses, ","), folder));
}

std::string exported(const PolicyVerb& options) {
  if (options.toruses.empty()) throw BadInput("policy export needs --torus, e.g. --torus 4x4x4");
  refuse_torus_as_folder(options);
  std::vector<Shape> shapes;
  for (const std::string& torus : options.toruses)
    shapes.push_back(Shape::parse(torus, options.mesh));
  return export_policy({options.name, options.directory, options.check.seed}, shapes);
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
  CLI::App* command = app.add_subcommand("policy", "start, check or export a policy");
  options->verb = command;
  command
      ->add_option("ACTION", options->action,
                   "new writes a folder with a source that compiles; check runs a policy on "
                   "small cases and reports errors; export writes a built-in policy as data")
      ->required()
      ->check(one_of("action", kActions));
  command
      ->add_option("NAME", options->name,
                   "new: name of the policy, e.g. nearest; check: a policy, e.g. ./nearest.so; "
                   "export: a built-in policy, e.g. bruck:4")
      ->required()
      ->check(not_empty());
  command->add_option("DIR", options->directory, "new, export: output folder (default: current)")
      ->check(not_empty());
  begin_group(*command, "Export");
  CLI::Option* const torus =
      add_text_list(
          *command, "--torus", options->toruses,
          "tori to make tables for, e.g. 4x4x4 or 4x4,6x6; one file names the tables of all")
          ->type_name("SHAPES");
  // So that DIR may follow. Until the verb is parsed the option counts as a list, which keeps its
  // commas when synonyms are replaced.
  command->preparse_callback([torus](std::size_t) { torus->allow_extra_args(false); });
  command->add_flag("--mesh", options->mesh, "make every dimension of every torus a mesh");
  begin_group(*command, "Check");
  add_seed_option(*command, options->check.seed);
  command
      ->add_option("--limit", options->check.limit, "seconds after which a case counts as hanging")
      ->type_name("SECONDS")
      ->check(number(1, 3600))  // the threads of one case alone ask for 0.15 s
      ->capture_default_str();
  begin_group(*command, "Output");
  add_json_option(*command, options->check.json);
  command->add_flag("--quiet", options->check.quiet, "print errors only");
  add_examples(*command, {{"a folder with a policy that compiles", "toroid policy new nearest"},
                          {"check a policy for errors and its distance from the bound",
                           "toroid policy check nearest/nearest.so"},
                          {"a built-in policy as a TOML file with tables",
                           "toroid policy export farthest-first --torus 4x4x4"},
                          {"one file for two tori, for a comparison on both",
                           "toroid policy export two-phase --torus 8x4,8x8"},
                          {"the same in a folder of its own",
                           "toroid policy export two-phase --torus 8x4,8x8 tables"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
