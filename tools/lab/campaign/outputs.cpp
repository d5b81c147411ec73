#include "tools/lab/campaign/outputs.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>
#include "hal/check.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/result_formats.hpp"
#include "tools/lab/campaign/run_case.hpp"
#include "tools/run/processes.hpp"

namespace toroid {
namespace {

/// Options that do not change the rows. In virtual time --threads does not change them either.
constexpr std::array kNotOfTheCampaign = {"--csv",   "--json",  "--report", "--resume",
                                          "--shard", "--quiet", "--help"};

/// The words that reproduce the rows: the verb, then the typed options in the order in which the
/// verb declares them.
Json campaign_arguments(const CLI::App& verb, const CampaignSettings& settings) {
  Json words = {verb.get_name()};
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = "--" + option->get_single_name();
    const bool is_left_out = std::ranges::find(kNotOfTheCampaign, name) != kNotOfTheCampaign.end();
    if (option->count() == 0 || is_left_out || (name == "--threads" && settings.is_virtual()))
      continue;
    if (option->get_expected_max() == 0)
      words.push_back(name);
    else
      for (const std::string& value : option->results())
        words.push_back(fmt::format("{}={}", name, value));
  }
  return words;
}

Json campaign_of(const CampaignOptions& options, const CampaignSettings& settings) {
  if (options.lists.verb == nullptr) return nullptr;
  return {{"arguments", campaign_arguments(*options.lists.verb, settings)},
          {"shard", options.part.text()}};
}

/// Throws BadInput if an output would overwrite another.
const CampaignOptions& apart(const CampaignOptions& options) {
  if (options.csv == "-") throw BadInput("--csv -: expected a file; only --json takes -");
  refuse_one_file_for_two(std::array{options.common.json == "-" ? "" : options.common.json,
                                     options.csv, options.resume, options.report});
  return options;
}

}  // namespace

CampaignOutputs::CampaignOutputs(const CampaignOptions& options, std::string_view verb,
                                 const CampaignSettings& settings)
    : quiet_(options.common.quiet),
      merged_(options.merged),
      paths_{options.common.json == "-" ? "standard output" : options.common.json, options.csv,
             options.report},
      json_(apart(options).common.json),
      report_(options.report, report_notice(quiet_, json_.to_standard_output())) {
  if (options.merged != nullptr) options.merged->check(journal_settings(verb, settings));
  if (!options.csv.empty()) csv_ = std::make_unique<OutputFile>(options.csv);
  if (options.resume.empty()) return;
  journal_ = std::make_unique<Journal>(options.resume, journal_settings(verb, settings),
                                       campaign_of(options, settings));
}

void CampaignOutputs::share_finished(std::span<const CampaignCase> cases,
                                     const Processes& processes) {
  if (processes.count() == 1) return;
  auto elsewhere = std::make_unique<RowsElsewhere>(cases, finished(), processes);
  if (!processes.reports()) elsewhere_ = std::move(elsewhere);
}

FinishedRows* CampaignOutputs::kept() const {
  if (elsewhere_ != nullptr) return elsewhere_.get();
  return journal_.get();
}

namespace {

/// Adds leading columns that distinguish rows of several files, and a last column for the reason of
/// a failure.
std::vector<Json> csv_rows(const Json& report) {
  std::vector<Json> rows;
  for (const Json& row : report["rows"]) {
    Json& whole = rows.emplace_back();
    for (const char* key : {"verb", "version", "fabric", "machine", "seed"})
      whole[key] = report[key];
    whole.update(row);
    if (!whole.contains("error")) whole["error"] = nullptr;
  }
  return rows;
}

}  // namespace

void CampaignOutputs::write(Json report) {
  const bool interrupted = report.contains("interrupted");
  const std::size_t rows = report["rows"].size();
  if (interrupted && rows == 0) tell_of_interruption(rows);
  json_.write(report);
  if (csv_) {
    csv_->stream() << csv_text(csv_rows(report));
    csv_->commit();
  }
  report_.write(report);
  if (interrupted) tell_of_interruption(rows);
}

void CampaignOutputs::tell_of_interruption(std::size_t rows) const {
  std::vector<std::string> places;
  for (const std::string& path : paths_)
    if (!path.empty() && rows > 0) places.push_back(path);
  if (journal_ != nullptr) places.push_back(journal_->path());
  const std::size_t runs = journal_ != nullptr ? journal_->size() : rows;
  if (runs == 0) throw RunFailed("interrupted");
  throw RunFailed(fmt::format("interrupted; {} run{} finished{}{}", runs, runs == 1 ? "" : "s",
                              places.empty() ? "" : ", kept in ", fmt::join(places, ", ")));
}

int end_silently(bool interrupted) {
  if (interrupted) throw RunFailed("interrupted");
  return 0;
}

int exit_code(std::span<const Json> rows) {
  return std::ranges::any_of(rows, [](const Json& row) { return row.contains("error"); }) ? 1 : 0;
}

}  // namespace toroid
