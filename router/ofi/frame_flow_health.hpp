// Statistics of the frames between processes, collected if links are checked.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/counters.hpp"
#include "router/job/blob.hpp"

namespace toroid::ofi {

/// One process's statistics of the frames to and from a peer.
struct FlowHealth {
  unsigned peer;
  // To the peer.
  std::uint64_t sent;     ///< number of frames, not counting repeats
  std::uint64_t repeats;  ///< number of times that a frame was resent
  /// [sequence modulo size]: chained_crc() of the frames up to that one.
  std::vector<std::uint32_t> sent_crcs;
  // From the peer.
  std::uint64_t received;      ///< number of frames accepted
  std::uint64_t refused;       ///< number of frames refused because they were damaged or came twice
  std::uint32_t received_crc;  ///< chained_crc() of the accepted frames
};

/// Packs the statistics for unpack_and_judge() on process 0.
Blob pack(const std::vector<FlowHealth>& flows);

/// Computes the health of the frames from each process to each other, from the results of pack() on
/// all processes. Frames in flight at the end of a run do not count: only CRCs of accepted frames
/// are compared. LinkHealth::errors is the larger of the numbers of resent and of refused frames,
/// because a lost frame is resent but never refused.
std::vector<LinkHealth> unpack_and_judge(const std::vector<Blob>& packed);

}  // namespace toroid::ofi
