// toroid report: shows results as pictures in one HTML file.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/command/commands.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/inputs.hpp"
#include "tools/report/page.hpp"
#include "tools/report/provenance.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string out = "report.html";
  bool quiet = false;
};

/// Refuses an output file that is also an input.
void refuse_to_replace_an_input(const ReportOptions& options) {
  std::error_code error;  // ignored: opening the files reports it
  for (const std::string& file : options.files)
    if (std::filesystem::equivalent(file, options.out, error) &&
        std::filesystem::is_regular_file(file, error))
      throw BadInput(fmt::format("{}: the report would overwrite this input file", file));
}

/// A text such as "2 runs, 1 sweep, 0 failed". It also has the benchmarks and the tables of `toroid
/// paper`, if there are any.
std::string contents_of(const ReportInputs& inputs) {
  std::string text =
      counted(inputs.runs.size(), "run") + ", " + counted(inputs.sweeps.size(), "sweep");
  if (!inputs.benches.empty()) text += ", " + counted(inputs.benches.size(), "benchmark");
  if (!inputs.papers.empty()) text += ", " + counted(inputs.papers.size(), "paper table");
  return text + fmt::format(", {} failed", inputs.failed.size());
}

int run(const ReportOptions& options) {
  if (options.out == "-") throw BadInput("--out -: expected a file");
  refuse_to_replace_an_input(options);
  (void)provenance();  // records the start of the command as the date
  ReportInputs inputs = read_report_inputs(options.files);
  OutputFile file(options.out);
  const std::string contents = contents_of(inputs);
  const std::string page = report_page(std::move(inputs));
  file.stream() << page;
  file.commit();
  if (!options.quiet)
    fmt::print("{}: {}, {:.2f} MB\n", options.out, contents,
               static_cast<double>(page.size()) / 1e6);
  return 0;
}

}  // namespace

CommandRun add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "show results as pictures in one HTML file");
  command
      ->add_option("FILES", options->files, "files that --json and --record of other verbs wrote")
      ->required()
      ->check(not_empty());
  begin_group(*command, "Output");
  add_file_option(*command, "-o,--out", options->out, "HTML file to write")->capture_default_str();
  command->add_flag("--quiet", options->quiet, "print nothing");
  add_examples(*command,
               {{"two results on a page", "toroid alltoall --torus 4x4 --json a.json --quiet"},
                {"", "toroid fft --size 16 --torus 2x2x2 --json b.json --quiet"},
                {"", "toroid report a.json b.json -o both.html"}});
  return [options] { return run(*options); };
}

}  // namespace toroid
