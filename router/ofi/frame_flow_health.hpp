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
  std::uint64_t sent;                    ///< frames, without repeats
  std::uint64_t repeats;                 ///< frames that were resent
  std::vector<std::uint32_t> sent_crcs;  ///< [sequence modulo size]: chained_crc() up to that frame
  // From the peer.
  std::uint64_t received;      ///< frames that were accepted
  std::uint64_t refused;       ///< frames that were damaged or came twice
  std::uint32_t received_crc;  ///< chained_crc() of the accepted frames
};

/// Packs the statistics for unpack_and_judge() on process 0.
Blob pack(const std::vector<FlowHealth>& flows);

/// Returns the health of the frames of each ordered pair of processes, from all processes' pack().
/// Frames in flight at the end of a run do not count: only CRCs of accepted frames are compared.
/// Repeats beyond the number of refused frames mean that frames were lost.
std::vector<LinkHealth> unpack_and_judge(const std::vector<Blob>& packed);

}  // namespace toroid::ofi
