// toroid report: results as pictures, in one HTML file.
#include "tools/options.hpp"
#include "tools/output_file.hpp"
#include "tools/report/page.hpp"
#include "tools/verbs.hpp"

#include <ostream>

namespace toroid {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::string out = "report.html";
  bool quiet = false;
};

/// The report would take the place of a result that it was made from.
void refuse_to_replace_an_input(const ReportOptions& options) {
  std::error_code error;  // is the business of those that open them
  for (const std::string& file : options.files)
    if (std::filesystem::equivalent(file, options.out, error) &&
        std::filesystem::is_regular_file(file, error))
      throw BadInput(fmt::format("{}: expected another file than the report's", file));
}

std::string counted(std::size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

int run(const ReportOptions& options) {
  if (options.out == "-") throw BadInput("--out -: expected a file");
  refuse_to_replace_an_input(options);
  ReportInputs inputs = read_report_inputs(options.files);
  OutputFile file(options.out);
  const std::size_t runs = inputs.runs.size();
  const std::size_t sweeps = inputs.sweeps.size();
  const std::size_t failed = inputs.failed.size();
  const std::string page = report_page(std::move(inputs));
  file.stream() << page;
  file.commit();
  if (!options.quiet)
    fmt::print("{}: {}, {}, {} failed, {:.2f} MB\n", options.out, counted(runs, "run"),
               counted(sweeps, "sweep"), failed, static_cast<double>(page.size()) / 1e6);
  return 0;
}

}  // namespace

Verb add_report_verb(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "results as pictures in one HTML file");
  verb->add_option("files", options->files,
                   "what --json and --record wrote: alltoall, fft, replay, compare, sweep")
      ->required()
      ->check(not_empty());
  verb->add_option("-o,--out", options->out, "the page")->check(not_empty())->capture_default_str();
  verb->add_flag("--quiet", options->quiet, "print nothing");
  return [options] { return run(*options); };
}

}  // namespace toroid
