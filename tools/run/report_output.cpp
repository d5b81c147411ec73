#include "tools/run/report_output.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "tools/options/option_values.hpp"
#include "tools/report/inputs.hpp"
#include "tools/report/page.hpp"
#include "tools/run/run_result.hpp"

namespace toroid {

void add_report_option(CLI::App& command, std::string& path) {
  add_file_option(command, "--report", path, "write the result as one HTML file with plots")
      ->group("Output");
}

ReportNotice report_notice(bool quiet, bool fills_standard_output) {
  if (quiet) return ReportNotice::none;
  return fills_standard_output ? ReportNotice::standard_error : ReportNotice::standard_output;
}

ReportOutput::ReportOutput(const std::string& path, ReportNotice notice)
    : path_(path), notice_(notice) {
  if (path == "-") throw BadInput("--report -: expected a file");
  if (!path.empty()) file_ = std::make_unique<OutputFile>(path);
}

void ReportOutput::write(const Json& result) {
  if (!file_) return;
  ReportInputs inputs;
  add_report_input(inputs, Json::parse(result_text(result)), {});
  file_->stream() << report_page(std::move(inputs));
  file_->commit();
  if (notice_ == ReportNotice::none) return;
  const std::string line = fmt::format("report: {}\n", one_line(path_));
  std::fputs(line.c_str(), notice_ == ReportNotice::standard_error ? stderr : stdout);
}

}  // namespace toroid
