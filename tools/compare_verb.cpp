// toroid compare: policies beside each other, on every torus, at every size, under every traffic.
#include <algorithm>

#include "tools/lab/options.hpp"
#include "tools/lab/run_case.hpp"
#include "tools/lab/table.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

/// What is compared with each other: all but the policy is equal.
bool are_rivals(const Json& a, const Json& b) {
  const auto equal = [&](const char* key) { return a[key] == b[key]; };
  return equal("traffic") && equal("torus") && equal("bytes");
}

bool is_fastest(const Json& row, std::span<const Json> rows) {
  return std::ranges::none_of(rows, [&](const Json& other) {
    return are_rivals(row, other) && !other.contains("error") && other["cycles"] < row["cycles"];
  });
}

std::vector<std::string> compare_cells(const Json& row, std::span<const Json> rows) {
  std::vector<std::string> names;
  for (const char* key : {"policy", "traffic", "torus"})
    names.push_back(row[key].get<std::string>());
  names.push_back(row["bytes"].dump());
  if (row.contains("error")) {
    names.push_back(row["error"].get<std::string>());
    return names;
  }
  for (const std::string& cell :
       {fmt::format("{:.4e}", row["time_s"].get<double>()),
        row["cycles"].dump() + (is_fastest(row, rows) ? " *" : "  "), row["bound_cycles"].dump(),
        fixed_text(row["percent_of_peak"], 1), row["links"]["max_load"].dump(),
        fixed_text(row["links"]["mean_load"], 1), figure_text(row["latency"]["p50"]),
        figure_text(row["latency"]["p99"]), figure_text(row["fifos"]["stalled_percent"], 1)})
    names.push_back(cell);
  return names;
}

std::string compare_table(std::span<const Json> rows) {
  TextTable table({"policy", "traffic", "torus", "bytes", "time, s", "cycles  ", "bound",
                   "% of peak", "hottest", "mean link", "p50", "p99", "stalled %"},
                  3);
  for (const Json& row : rows) table.add(compare_cells(row, rows));
  return table.text();
}

int run(const LabOptions& options) {
  LabSettings settings = lab_settings(options.common);
  settings.peers = options.peers;
  const std::vector<LabCase> cases = make_cases(options.lists, options.common.seed);
  refuse_unfit(cases, settings);
  LabOutputs outputs(options, "compare", settings);

  const std::vector<Json> rows = run_cases(cases, settings, outputs.journal());
  Json report = lab_head("compare", settings);
  if (options.peers != 0) report["peers"] = options.peers;
  report["rows"] = rows;
  report["result_hash"] = rows_hash(rows);
  if (outputs.shows_table())
    fmt::print(
        "machine {}, seed {}, fabric {}; latencies in cycles; *: the fastest of its traffic, "
        "torus and size\n{}",
        settings.machine.name, options.common.seed, options.common.fabric, compare_table(rows));
  outputs.write(report, rows);
  return exit_code(rows);
}

}  // namespace

Verb add_compare_verb(CLI::App& app) {
  auto options = std::make_shared<LabOptions>();
  CLI::App* verb = app.add_subcommand("compare", "policies beside each other, in one table");
  add_lab_options(*verb, *options);
  return [options] { return run(*options); };
}

}  // namespace toroid
