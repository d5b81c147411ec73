#include "tools/run/run_session.hpp"

#include <fmt/core.h>

#include "tools/files/output_file.hpp"
#include "tools/run/link_crc_check.hpp"
#include "tools/run/report_output.hpp"

namespace toroid {
namespace {

/// The path of --json. Throws BadInput if two output files of the run are the same.
std::string json_path(const CommonOptions& common, const RunFiles& files) {
  std::vector<std::string> paths = files.others;
  const ObservationOptions& observation = files.observation;
  for (const std::string& path :
       {observation.record, observation.trace, observation.report, observation.csv, files.export_to,
        common.json == "-" ? "" : common.json})
    paths.push_back(path);
  refuse_one_file_for_two(paths);
  return common.json;
}

}  // namespace

RunSession::RunSession(const CommonOptions& common, const Shape& shape, const Machine& machine,
                       const RunOptions& run, const RunFiles& files)
    : shape_(shape),
      machine_(machine),
      run_(run),
      quiet_(common.quiet),
      table_(files.array_to_standard_output ? stderr : stdout),
      json_(reports() ? json_path(common, files) : ""),
      observation_(
          files.observation,
          report_notice(quiet_, json_.to_standard_output() || files.array_to_standard_output),
          shape, machine, run),
      messages_(files.export_to, shape, run.processes) {}

void RunSession::announce(const RunWork& work, double array_bytes) const {
  toroid::announce(estimate_run(work, shape_, machine_, run_, array_bytes), quiet_ || !reports());
}

Emulation RunSession::emulation(const RunOptions& under, std::uint64_t packets_expected) {
  return Emulation(shape_, machine_, messages_.recorded(observation_.observed(under)), quiet_,
                   packets_expected);
}

bool RunSession::collect(const Emulation& emulation) {
  messages_.write(emulation, machine_);
  return reports();
}

void RunSession::print(std::string_view table) const {
  if (!quiet_ && !json_.to_standard_output()) fmt::print(table_, "{}", table);
}

void RunSession::write(const Emulation& emulation, const Json& report, unsigned runs,
                       const Json& more) {
  observation_.write(report, emulation.counters(), runs, more);
  json_.write(report);
}

void RunSession::check(const Emulation& emulation) const {
  check_links(emulation.counters(), shape_);
}

}  // namespace toroid
