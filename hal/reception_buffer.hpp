// The reception buffer: FIFOs that the router fills and the processor polls. This class accounts
// for their room in chunks; the fabric keeps the packets themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"

namespace toroid {

/// The reception FIFOs of the nodes of a machine, or of a part of it, in one array. The model of
/// the routers owns and calls it.
class ReceptionBuffers {
 public:
  /// Makes `fifos` empty FIFOs of `capacity` chunks each for every node.
  ReceptionBuffers(std::size_t nodes, unsigned fifos, unsigned capacity)
      : used_(nodes * fifos, 0), counters_(fifos), fifos_(fifos), capacity_(capacity) {}

  unsigned fifos() const { return fifos_; }
  /// Chunks in all FIFOs of a node.
  unsigned used(std::size_t node) const {
    unsigned sum = 0;
    for (unsigned f = 0; f < fifos_; ++f) sum += used_[node * fifos_ + f];
    return sum;
  }
  /// [FIFO]: counters over all nodes.
  const std::vector<FifoCounters>& counters() const { return counters_; }

  /// Reserves room for a whole packet, as virtual cut-through demands. Returns false if there is no
  /// room now.
  [[nodiscard]] bool try_reserve(std::size_t node, unsigned fifo, unsigned chunks) {
    std::uint16_t& used = used_[node * fifos_ + fifo];
    if (used + chunks > capacity_) return false;
    used = static_cast<std::uint16_t>(used + chunks);
    counters_[fifo].note(1, used);
    return true;
  }

  /// Frees the room of a packet that the processor has taken out.
  void release(std::size_t node, unsigned fifo, unsigned chunks) {
    std::uint16_t& used = used_[node * fifos_ + fifo];
    TOROID_CHECK_LE(chunks, used);
    used = static_cast<std::uint16_t>(used - chunks);
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(used_, counters_);
  }

 private:
  std::vector<std::uint16_t> used_;     ///< [node · fifos_ + FIFO]
  std::vector<FifoCounters> counters_;  ///< [FIFO], over all nodes
  unsigned fifos_;                      ///< per node
  unsigned capacity_;                   ///< of each FIFO
};

}  // namespace toroid
