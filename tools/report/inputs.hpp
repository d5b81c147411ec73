// Reads the result files of a report, checks them and converts them to one form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "tools/report/recording.hpp"
#include "tools/report/slice.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Packets that crossed each link in a run without a recording.
struct LinkLoads {
  Shape shape;
  std::vector<std::uint32_t> packets;  ///< [rank · shape.links() + direction]
};

/// One run: the result of alltoall, fft, replay or poisson, or a row of compare. `head` has every
/// text, number and boolean of the result and a `name` for the run. It also has figures from inner
/// objects of the result, under names that only the page uses (max_load, latency_p50, ...).
struct ReportRun {
  Json head;
  std::optional<Recording> recording{};
  std::optional<LinkLoads> loads{};
  std::vector<Slice> slices{};
};

struct ReportInputs {
  std::vector<ReportRun> runs{};
  std::vector<Json> sweeps{};   ///< axis, file, head, points
  std::vector<Json> benches{};  ///< head, rows
  std::vector<Json> papers{};   ///< head, rows, curves
  std::vector<Json> failed{};   ///< name, error: runs of compare and sweep that failed
};

/// Adds one result. `file`: the name of its file, for messages and the page; empty if there is no
/// file. Throws BadInput with the file and what was expected in it.
void add_report_input(ReportInputs& inputs, const Json& result, const std::string& file);
ReportInputs read_report_inputs(std::span<const std::string> paths);

}  // namespace toroid
