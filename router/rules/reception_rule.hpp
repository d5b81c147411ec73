// Which reception FIFO takes a packet at its destination. The rule is the same on every fabric.
#pragma once

#include "hal/machine.hpp"
#include "router/rules/routing.hpp"

namespace toroid {

class ReceptionRule {
 public:
  /// `links`: number of links per node.
  ReceptionRule(const Machine& machine, unsigned links)
      : normal_fifos_(machine.reception_fifos),
        fifos_(normal_fifos_ + machine.priority_reception_fifos),
        links_(links) {}

  /// Number of FIFOs per node; those for high priority come last.
  unsigned fifos() const { return fifos_; }
  /// The FIFO for a packet that waits at `input`, chosen by the packet's priority and its input
  /// port.
  unsigned fifo_for(bool high_priority, Input input) const {
    if (high_priority && fifos_ > normal_fifos_)
      return normal_fifos_;  // the first FIFO for high priority
    const unsigned port = input.is_fifo(links_) ? 0 : input.travelling().index;
    return port % normal_fifos_;
  }

 private:
  unsigned normal_fifos_;
  unsigned fifos_;
  unsigned links_;
};

}  // namespace toroid
