// Rows for Figures 4 to 9 of the slab paper: how much communication the slab method hides behind
// transforms. Each row compares the non-blocking with the blocking transform on the same machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/files/host_array.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The values of the settings that are varied. One setting is varied at a time; the others are
/// those of the description.
struct OverlapAxes {
  std::vector<std::uint64_t> planes;             ///< per exchange; on the machine and its halves
  std::vector<std::uint64_t> windows;            ///< most outstanding exchanges
  std::vector<std::uint64_t> test_intervals;     ///< lines between two polls
  std::vector<std::uint64_t> nodes_per_process;  ///< nodes per worker thread; empty on `sim`
};

/// A slab transform and where it is run.
struct OverlapBench {
  fft::Description description;
  fft::Way way = fft::Way::forward;
  Shape shape;
  Machine machine;
  RunOptions run;
};

/// One row to measure.
struct OverlapPoint {
  std::string_view varied;  ///< planes, window, test_interval or nodes_per_process
  Shape shape;
  fft::Overlap overlap;
  unsigned threads;  ///< per process; 0 if as in the run options
};

/// The rows that vary the number of planes, smallest machine first. A number that does not divide
/// the number of planes of the machine's nodes is left out for this machine.
std::vector<OverlapPoint> points_over_planes(const OverlapBench& bench, const OverlapAxes& axes);
/// The rows that vary the other settings, on the whole machine with `planes` planes per exchange.
std::vector<OverlapPoint> other_points(const OverlapBench& bench, const OverlapAxes& axes,
                                       std::int64_t planes);

/// Measures both transforms and returns a row with these keys:
/// - `varied nodes torus processors nodes_per_process planes window test_interval`;
/// - `message_bytes`: mean bytes that a node sends to another at a time;
/// - `blocking_s time_s ratio`: times of the blocking and the non-blocking transform;
/// - `blocking_communication_s communication_s communication_left`: communication that transforms
///   do not hide (Blocks::exposed), in both, and the ratio (null if the blocking one has none).
/// On `ofi` all processes call it in the same order.
Json overlap_row(const OverlapBench& bench, const OverlapPoint& point, const HostArray& input);

/// The number of planes in the fastest row that varies planes on the whole machine.
std::int64_t fastest_planes(const Json& rows, const Shape& shape);

/// The heading of the rows that vary one setting, and one row, as text of at most 80 columns.
std::string overlap_header(std::string_view varied);
std::string overlap_line(const Json& row);

}  // namespace toroid
