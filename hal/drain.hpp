// drain: the patent's FIG. 10. Moves packets from the output queues to the least full of the
// injection FIFOs in their possible directions.
//
// Difference from the letter: where the flowchart would spin until a FIFO has room, this returns,
// so that the processor can receive in between; it goes on where it stopped.
#pragma once

#include <concepts>
#include <optional>

#include "hal/injection_fifo.hpp"
#include "hal/output_queues.hpp"

namespace toroid {

/// Steps 1012 and 1014: the least full FIFO with room among those that serve a possible direction;
/// the first of equals.
std::optional<unsigned> least_full(std::span<const InjectionFifo> fifos, DirectionSet possible,
                                   unsigned chunks);

/// The directions of all FIFOs that are not quite full: most heads of stuck queues fail this first.
inline DirectionSet open_directions(std::span<const InjectionFifo> fifos) {
  DirectionSet open;
  for (const InjectionFifo& fifo : fifos)
    if (fifo.has_room(1)) open.add(fifo.directions);
  return open;
}

class Drain {
 public:
  /// Moves at most `limit` packets: sink(descriptor, fifo), which must take it. Accounts for the
  /// chunks in `fifos`. Returns the number moved; fewer than `limit`: all queues are empty or
  /// stuck.
  template <std::invocable<const SendDescriptor&, unsigned> Sink>
  std::size_t run(OutputQueues& queues, std::span<InjectionFifo> fifos, std::size_t limit,
                  Sink&& sink) {
    std::size_t moved = 0;
    const DirectionSet open = open_directions(fifos);
    for (unsigned skipped = 0; skipped < queues.count() && moved < limit; ++skipped) {
      for (DescriptorQueue& queue = queues[queue_]; !queue.empty() && moved < limit; ++moved) {
        const SendDescriptor& head = queue.front();
        if (!open.meets(head.header.hints())) break;
        const unsigned chunks = head.header.chunks();
        const auto fifo = least_full(fifos, head.header.hints(), chunks);
        if (!fifo) break;
        fifos[*fifo].used += chunks;
        sink(head, *fifo);
        queue.pop();
        skipped = 0;
      }
      if (moved < limit) queue_ = queue_ + 1 == queues.count() ? 0 : queue_ + 1;
    }
    return moved;
  }

 private:
  unsigned queue_ = 0;  ///< iL
};

}  // namespace toroid
