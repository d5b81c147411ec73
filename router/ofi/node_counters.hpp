// The counters of a process's nodes, in the form in which they are sent to process 0 for reporting.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hal/counters.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/job/blob.hpp"
#include "router/shm/device.hpp"

namespace toroid::ofi {

struct NodeCounters {
  Tick end = 0;
  std::uint64_t packets = 0;
  std::uint64_t delivered = 0;
  std::uint64_t packet_hops = 0;
  std::uint64_t refused = 0;
  std::uint64_t puts = 0;
  std::uint64_t put_bytes = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t packet_bytes = 0;
  std::map<std::string, std::uint64_t> refused_frames{};
  std::vector<Rank> nodes{};
  std::vector<LinkCounters> links{};      ///< [index in nodes][direction]
  std::vector<FifoCounters> fifos{};      ///< [index in nodes][FIFO]
  std::vector<NodeTotals> totals{};       ///< [index in nodes]
  std::vector<FifoCounters> reception{};  ///< [FIFO], added up over the nodes

  void add(Rank rank, const ring::RingDevice& node);
  Blob pack() const;
};

/// The counters of all nodes, merged from every process's NodeCounters::pack(). Throws RunFailed if
/// counters do not fit the shape.
FabricCounters merged(const Shape& shape, const std::vector<Blob>& packed);

}  // namespace toroid::ofi
