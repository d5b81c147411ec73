// The smallest buffers that the rules allow.
#pragma once

#include "hal/machine.hpp"

namespace toroid::testing {

/// Room for one packet in each dynamic channel and for two in each bubble channel.
inline Machine smallest_channels() {
  Machine machine;
  machine.dynamic_vc_chunks = 8;
  machine.bubble_vc_chunks = machine.priority_vc_chunks = 16;
  machine.ring_slots = 1;
  return machine;
}

/// In addition, room for only one packet in each injection FIFO and in the only reception FIFO.
inline Machine smallest_buffers() {
  Machine machine = smallest_channels();
  machine.injection_fifo_chunks = machine.reception_fifo_chunks = 8;
  machine.reception_fifos = 1;
  return machine;
}

}  // namespace toroid::testing
