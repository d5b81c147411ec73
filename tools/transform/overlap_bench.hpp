// How much of its communication the slab method hides behind transforms: the slab paper's Figures 4
// to 9 as rows. Each compares the non-blocking transform with the blocking one of the same machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/files/array_io.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// What is varied; of all else the rows have the description's.
struct OverlapAxes {
  std::vector<std::uint64_t> planes;             ///< per exchange, on the machine and its halves
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

/// One row to be measured.
struct OverlapPoint {
  std::string_view varied;  ///< planes, window, test_interval or nodes_per_process
  Shape shape;
  fft::Overlap overlap;
  unsigned threads;  ///< per process; 0: as many as the run has
};

/// The rows over planes: first those of small machines. Planes that do not divide those of a
/// machine's nodes are left out.
std::vector<OverlapPoint> points_over_planes(const OverlapBench& bench, const OverlapAxes& axes);
/// The others, on the whole machine with so many planes.
std::vector<OverlapPoint> other_points(const OverlapBench& bench, const OverlapAxes& axes,
                                       std::int64_t planes);

/// Measures both transforms: `varied nodes torus processors planes window test_interval
/// message_bytes` (mean of what a node sends another at a time), `blocking_s time_s ratio`,
/// `blocking_communication_s communication_s communication_left` (of what transforms do not hide,
/// Blocks::exposed; null: there was none). On `ofi`
/// all processes call it in the same order.
Json overlap_row(const OverlapBench& bench, const OverlapPoint& point, const HostArray& input);

/// The planes of the row over planes on the whole machine that is the fastest.
std::int64_t fastest_planes(const Json& rows, const Shape& shape);

/// The heading of the rows that vary one thing, and a row. 80 columns at most.
std::string overlap_header(std::string_view varied);
std::string overlap_line(const Json& row);

}  // namespace toroid
