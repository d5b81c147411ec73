#include "tools/command/command_line.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ranges>

#include "hal/check.hpp"
#include "router/placement/launcher_environment.hpp"
#include "tools/command/command_line_errors.hpp"
#include "tools/command/commands.hpp"
#include "tools/command/help_man_completion.hpp"
#include "tools/files/run_inputs.hpp"
#include "tools/options/agreed_options.hpp"
#include "tools/options/option_text.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/single_process_check.hpp"
#include "tools/options/synonyms.hpp"
#include "tools/run/embedding_program.hpp"
#include "tools/run/processes.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

constexpr const char* kRuns = "Transforms and exchanges";
constexpr const char* kMeasures = "Measurements";
constexpr const char* kProcesses = "Several processes";
constexpr const char* kDocuments = "Results and documents";

struct CommandEntry {
  std::string_view name;
  const char* group;
  CommandRun (*add)(CLI::App&);
};

constexpr CommandEntry kCommands[] = {
    {"fft", kRuns, add_fft_command},
    {"alltoall", kRuns, add_alltoall_command},
    {"bench", kMeasures, add_bench_command},
    {"compare", kMeasures, add_compare_command},
    {"hello", kRuns, add_hello_command},
    {"info", kDocuments, add_info_command},
    {"merge", kMeasures, add_merge_command},
    {"paper", kMeasures, add_paper_command},
    {"poisson", kRuns, add_poisson_command},
    {"policy", kMeasures, add_policy_command},
    {"sweep", kMeasures, add_sweep_command},
    {"redistribute", kRuns, add_redistribute_command},
    {"replay", kRuns, add_replay_command},
    {"report", kDocuments, add_report_command},
    {"help", kDocuments, add_help_command},
    {"man", kDocuments, add_man_command},
    {"completion", kDocuments, add_completion_command},
};

/// Prints the text unless words were left over, which are refused: `toroid nosuch --help` asks for
/// the help of a command that does not exist.
void print_unless_left_over(const CLI::App& app, const std::string& text) {
  if (const std::string left = left_over(app); !left.empty()) throw BadInput(left);
  fmt::print("{}", text);
}

bool is_command(std::string_view word) {
  return word == "launch" ||
         std::ranges::find(kCommands, word, &CommandEntry::name) != std::ranges::end(kCommands);
}

/// The command that the first word names, if its options alone are enough to parse the words. Empty
/// if another word names a command too, or if the command belongs to the group kDocuments.
std::string_view only_command(const Words& words) {
  if (words.empty() || std::ranges::count_if(words, is_command) != 1) return {};
  const auto entry = std::ranges::find(kCommands, words.front(), &CommandEntry::name);
  if (entry == std::ranges::end(kCommands) || entry->group == kDocuments) return {};
  return entry->name;
}

int run_joining(const CLI::App& command, const CommandRun& run) {
  RunInputs inputs(agreed_options(command));
  inputs.note_join(launcher_of_several().has_value());
  return run_with_others(run);
}

const CLI::App& asked_for(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : *app.get_subcommands().front();
}

/// Whether a program of several processes, such as one in Python under mpirun, calls the command
/// in one of them. The processes of `toroid launch` are all there for the same command.
bool is_called_by_part_of_program() {
  return embedding_program() != nullptr && std::getenv("TOROID_JOB_KEY") == nullptr;
}

}  // namespace

CommandLine::CommandLine(std::string_view only)
    : app_(std::make_unique<CLI::App>(
          "a bare-metal message layer on an emulated Blue Gene-style torus", "toroid")) {
  app_->get_help_ptr()->group("Help")->description("show this text; see also 'toroid help VERB'");
  app_->set_version_flag("-V,--version", "toroid " + version_and_commit(),
                         "show version and commit")
      ->group("Help");
  app_->require_subcommand(1);
  add_examples(*app_, {{"a transform on 64 nodes in virtual time, checked against a serial one",
                        "toroid fft --size 32 --torus 4x4x4 --check"},
                       {"how close an exchange of 512 nodes gets to its bound",
                        "toroid alltoall --torus 8x8x8 --bytes 480"},
                       {"three policies compared",
                        "toroid compare --torus 4x4x4 --policies random,shift,rank"}});
  const auto add = [&](std::string_view name, const char* group, CommandRun command) {
    commands_.emplace_back(name, std::move(command));
    CLI::App& added = *app_->get_subcommand(commands_.back().first);
    added.group(group);
    added.get_help_ptr()->group("Help")->description("show this text");
  };
  for (const CommandEntry& entry : kCommands)
    if (only.empty() || only == entry.name) add(entry.name, entry.group, entry.add(*app_));
  if (!only.empty()) return;
  add("launch", kProcesses, add_launch_command(*app_, launched_));
  std::vector<std::string_view> names;
  for (const CLI::App* command : commands_of(*app_)) names.push_back(command->get_name());
  for (const char* command : {"help", "man"})
    app_->get_subcommand(command)->get_option("VERB")->check(one_of("verb", names));
}

CommandLine::~CommandLine() = default;

bool CommandLine::parse(Words arguments) {
  arguments = with_own_words(*app_, std::move(arguments));
  launched_ = take_launched(*app_, arguments);
  refuse_options_as_values(*app_, arguments);
  std::ranges::reverse(arguments);  // CLI11 expects them in reverse order
  try {
    app_->parse(arguments);
  } catch (const CLI::CallForVersion& version) {
    print_unless_left_over(*app_, fmt::format("{}\n", version.what()));
    return false;
  } catch (const CLI::CallForHelp&) {
    print_unless_left_over(*app_, help_text(asked_for(*app_)));
    return false;
  } catch (const CLI::ParseError& error) {
    throw BadInput(explain(*app_, error));
  }
  return true;
}

int CommandLine::run(Words arguments) {
  return parse(std::move(arguments)) ? run_parsed() : 0;
}

int CommandLine::run_parsed() {
  const CLI::App& asked = asked_for(*app_);
  const std::string name = asked.get_name();
  if (asked.get_group() != kDocuments && !is_called_by_part_of_program())
    refuse_one_of_several(asked);
  for (const auto& [command, run] : commands_)
    if (command == name) return joins_others(asked) ? run_joining(asked, run) : run();
  return 2;
}

int run_command_line(const Words& arguments) {
  if (arguments.empty()) return CommandLine().run({"help"});
  const std::string_view only = only_command(arguments);
  if (only.empty()) return CommandLine().run(arguments);
  CommandLine line(only);
  bool runs = false;
  try {
    runs = line.parse(arguments);
  } catch (const BadInput&) {  // parses again: the message may name other commands
    return CommandLine().run(arguments);
  }
  return runs ? line.run_parsed() : 0;
}

}  // namespace toroid
