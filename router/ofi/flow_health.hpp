// What the processes know of the frames between them, where links are checked.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/counters.hpp"
#include "router/job/blob.hpp"

namespace toroid::ofi {

/// What one process knows of the frames to a peer and from it.
struct FlowHealth {
  unsigned peer;
  // To the peer.
  std::uint64_t sent;                    ///< frames, each once
  std::uint64_t repeats;                 ///< frames that were sent again
  std::vector<std::uint32_t> sent_crcs;  ///< [sequence modulo size]: chained_crc() so far
  // From the peer.
  std::uint64_t received;      ///< frames that were accepted
  std::uint64_t refused;       ///< frames that were damaged or came twice
  std::uint32_t received_crc;  ///< chained_crc() of those that were accepted
};

/// For unpack_and_judge() on process 0.
Blob pack(const std::vector<FlowHealth>& flows);

/// The health of every direction of frames between two processes, of what pack() made on each
/// process. Frames that are under way at the end of a run do not count: the CRCs are those of the
/// frames that were accepted. What was sent again, beyond what was refused, has been lost.
std::vector<LinkHealth> unpack_and_judge(const std::vector<Blob>& packed);

}  // namespace toroid::ofi
