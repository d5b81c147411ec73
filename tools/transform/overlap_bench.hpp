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

/// Values of the settings that are varied, one at a time; the others follow the description.
struct OverlapAxes {
  std::vector<std::uint64_t> planes;             ///< per exchange; on the machine and its halves
  std::vector<std::uint64_t> windows;            ///< exchanges that may be outstanding
  std::vector<std::uint64_t> test_intervals;     ///< lines
  std::vector<std::uint64_t> nodes_per_process;  ///< nodes per worker thread; none on `sim`
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
  unsigned threads;  ///< per process; 0: as in the run options
};

/// The rows that vary the planes, smallest machine first. Plane counts that do not divide the
/// planes of a machine's nodes are left out.
std::vector<OverlapPoint> points_over_planes(const OverlapBench& bench, const OverlapAxes& axes);
/// The rows that vary the other settings, on the whole machine with `planes` planes per exchange.
std::vector<OverlapPoint> other_points(const OverlapBench& bench, const OverlapAxes& axes,
                                       std::int64_t planes);

/// Measures both transforms and returns a row with these keys:
/// - `varied nodes torus processors planes window test_interval`;
/// - `message_bytes`: mean bytes that a node sends to another at a time;
/// - `blocking_s time_s ratio`: times of the blocking and the non-blocking transform;
/// - `blocking_communication_s communication_s communication_left`: communication that transforms
///   do not hide (Blocks::exposed), and its ratio; null if blocking has none.
/// On `ofi` all processes call it in the same order.
Json overlap_row(const OverlapBench& bench, const OverlapPoint& point, const HostArray& input);

/// The number of planes in the fastest row that varies planes on the whole machine.
std::int64_t fastest_planes(const Json& rows, const Shape& shape);

/// Text of at most 80 columns: the heading of the rows that vary one setting, and one row.
std::string overlap_header(std::string_view varied);
std::string overlap_line(const Json& row);

}  // namespace toroid
