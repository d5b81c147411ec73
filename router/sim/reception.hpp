// The reception FIFOs of a block's nodes.
#pragma once

#include <vector>

#include "hal/counters.hpp"
#include "hal/machine.hpp"
#include "hal/reception_buffer.hpp"
#include "hal/shape.hpp"
#include "router/rules/reception_rule.hpp"
#include "router/rules/routing.hpp"

namespace toroid::sim {

/// The reception FIFOs of all nodes of a block.
class Reception {
 public:
  Reception(const Shape& shape, const Machine& machine, Rank nodes)
      : rule_(machine, shape.links()),
        buffers_(nodes, rule_.fifos(), machine.reception_fifo_chunks) {}

  /// The FIFO for a packet that waits at `input`.
  unsigned fifo_for(bool high_priority, Input input) const {
    return rule_.fifo_for(high_priority, input);
  }
  [[nodiscard]] bool try_reserve(Rank node, unsigned fifo, unsigned chunks) {
    return buffers_.try_reserve(node, fifo, chunks);
  }
  void release(Rank node, unsigned fifo, unsigned chunks) { buffers_.release(node, fifo, chunks); }

  /// Chunks in all reception FIFOs of a node.
  unsigned used(Rank node) const { return buffers_.used(node); }
  /// [FIFO]: counters over the nodes of the block.
  const std::vector<FifoCounters>& counters() const { return buffers_.counters(); }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(buffers_);
  }

 private:
  ReceptionRule rule_;
  ReceptionBuffers buffers_;
};

}  // namespace toroid::sim
