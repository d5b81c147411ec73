// The recording of a run for a report: loads per link, and samples over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tools/report/checked_json.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Samples are intervals of equal length; the last one may be shorter, at the end of the run.
struct Recording {
  Shape shape;
  Tick end = 0;       ///< cycles from the begin of the first sample to the end of the last
  Tick interval = 1;  ///< length of a sample, cycles
  unsigned fifos = 0;
  unsigned fifo_chunks = 0;  ///< capacity of one FIFO

  std::vector<std::uint32_t> packets;      ///< [rank · shape.links() + direction]
  std::vector<std::uint32_t> busy_cycles;  ///< same index: cycles in which a link was busy
  std::vector<std::uint8_t> link_busy;  ///< [sample][rank · links + direction]; 255 is always busy
  std::vector<std::uint8_t> fifo_fill;  ///< [sample][rank], all injection FIFOs; 255 is full
  std::vector<std::uint8_t> fifo_mean;  ///< [sample][fifo], mean over the nodes; 255 is full
  std::vector<std::uint8_t> fifo_most;  ///< [sample][fifo], on the node where it is fullest

  /// What nodes hold elsewhere: the values are those of all nodes' means, and of the node that
  /// holds most.
  struct Level {
    std::uint64_t full = 1;          ///< what 255 stands for
    std::vector<std::uint8_t> mean;  ///< [sample]; empty in recordings of older versions
    std::vector<std::uint8_t> most;  ///< [sample]
  };
  Level reception;  ///< chunks in reception FIFOs; full: their room in one node
  Level queues;     ///< packets in output queues; full: the most that a node has held

  std::size_t links() const { return std::size_t{shape.size()} * shape.links(); }
  std::size_t samples() const { return link_busy.size() / links(); }
  /// Bytes of one sample of all links, nodes and FIFOs, before packing.
  std::size_t sample_bytes() const { return links() + shape.size() + 2 * std::size_t{fifos}; }
  /// Joins every two samples into one of twice the length.
  void halve();

  Json to_json() const;
  /// Throws BadInput if the place does not hold a recording of this shape.
  static Recording from_json(const JsonPlace& place, const Shape& shape);
};

/// Largest number of samples of a machine of this shape that fits into a report; 0 if the machine
/// is too large to be recorded.
std::size_t most_samples(const Shape& shape, unsigned fifos);

}  // namespace toroid
