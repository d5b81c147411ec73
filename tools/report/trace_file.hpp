// Writes a trace in the format of ui.perfetto.dev and chrome://tracing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tools/report/recording.hpp"
#include "tools/report/tracer.hpp"

namespace toroid {

/// Number of slices that fit into a file of `file_bytes` bytes, together with the names of the
/// nodes and tracks.
std::size_t most_trace_slices(const Shape& shape, std::uint64_t file_bytes);

struct TraceFile {
  const Shape& shape;
  const Machine& machine;
  std::uint64_t file_bytes;  ///< size limit
  bool complete;             ///< whether the run reached its end
};

/// Writes the Trace Event Format: a process per node, a thread per link and injection FIFO, times
/// in microseconds of the machine's clock. A flow joins the slices of a packet. `recording`, of the
/// same run, provides counters of the whole machine and of as many nodes as fit.
void write_trace(std::ostream& out, const TraceFile& file, const Tracer& tracer,
                 const Recording& recording);

}  // namespace toroid
