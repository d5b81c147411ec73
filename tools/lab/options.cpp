#include "tools/lab/options.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "tools/lab/csv.hpp"
#include "tools/lab/run_case.hpp"

namespace toroid {

void add_lab_options(CLI::App& verb, LabOptions& options) {
  add_lab_lists(verb, options.lists);
  verb.add_option("--peers", options.peers,
                  "on sim: each node sends only to the first so many of its order, a sample")
      ->transform(whole_number(1, 1u << 24));
  verb.add_option("--csv", options.csv, "write the rows as comma-separated values")
      ->check(not_empty());
  verb.add_option("--resume", options.resume,
                  "keep what is finished in this file, and do not run again what it has")
      ->check(not_empty());
  add_common_options(verb, options.common);
  verb.get_option("--threads")
      ->description("runs at once on sim, else workers of the one run; else one per core");
}

namespace {

/// Throws BadInput where an output would take another's place.
const LabOptions& apart(const LabOptions& options) {
  if (options.csv == "-") throw BadInput("--csv -: expected a file; only --json has -");
  refuse_one_file_for_two(std::array{options.common.json == "-" ? "" : options.common.json,
                                     options.csv, options.resume});
  return options;
}

}  // namespace

LabOutputs::LabOutputs(const LabOptions& options, std::string_view verb,
                       const LabSettings& settings)
    : quiet_(options.common.quiet), json_(apart(options).common.json) {
  if (!options.csv.empty()) csv_ = std::make_unique<OutputFile>(options.csv);
  if (options.resume.empty()) return;
  journal_ = std::make_unique<Journal>(options.resume, journal_settings(verb, settings));
}

void LabOutputs::write(const Json& report, std::span<const Json> rows) {
  json_.write(report);
  if (!csv_) return;
  csv_->stream() << csv_text(rows);
  csv_->commit();
}

void refuse_unfit(std::span<const LabCase> cases, const LabSettings& settings, bool in_open_loop) {
  if (settings.peers != 0 && !settings.is_virtual())
    throw BadInput("--peers is for --fabric sim; elsewhere everybody sends to everybody");
  for (const LabCase& one : cases) {
    refuse_unfit(one, settings, in_open_loop);
    check_memory(one.shape, 0);
  }
}

int exit_code(std::span<const Json> rows) {
  return std::ranges::any_of(rows, [](const Json& row) { return row.contains("error"); }) ? 1 : 0;
}

}  // namespace toroid
