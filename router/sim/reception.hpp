// The reception FIFOs of a block's nodes.
#pragma once

#include "hal/machine.hpp"
#include "hal/reception_buffer.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"

namespace toroid::sim {

/// The reception FIFOs of all nodes of a block.
class Reception {
 public:
  Reception(const Shape& shape, const Machine& machine, Rank nodes)
      : normal_fifos_(machine.reception_fifos),
        degree_(shape.links()),
        buffers_(nodes, machine.reception_fifos + machine.priority_reception_fifos,
                 machine.reception_fifo_chunks) {}

  /// The FIFO for a packet that waits at `input`, chosen by the packet's priority and its input
  /// port.
  unsigned fifo_for(bool high_priority, Input input) const {
    const unsigned fifos = buffers_.fifos();
    if (high_priority && fifos > normal_fifos_)
      return normal_fifos_;  // the first FIFO for high priority
    const unsigned port = input.is_fifo(degree_) ? 0 : input.travelling().index;
    return port % normal_fifos_;
  }
  [[nodiscard]] bool try_reserve(Rank node, unsigned fifo, unsigned chunks) {
    return buffers_.try_reserve(node, fifo, chunks);
  }
  void release(Rank node, unsigned fifo, unsigned chunks) { buffers_.release(node, fifo, chunks); }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(buffers_);
  }

 private:
  unsigned normal_fifos_;  ///< per node; the others are for high priority
  unsigned degree_;
  ReceptionBuffers buffers_;
};

}  // namespace toroid::sim
