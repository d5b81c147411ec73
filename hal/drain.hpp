// drain: the patent's FIG. 10. Moves packets from the output queues to the least full of the
// injection FIFOs in their possible directions.
//
// Difference from the letter: where the flowchart would spin until a FIFO has room, this returns,
// so that the processor can receive in between; it goes on where it stopped.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>

#include "hal/injection_fifo.hpp"
#include "hal/output_queues.hpp"

namespace toroid {

/// Steps 1012 and 1014: the least full FIFO with room among those that serve a possible direction;
/// the first of equals.
inline std::optional<unsigned> least_full(std::span<const InjectionFifo> fifos,
                                          DirectionSet possible, unsigned chunks) {
  // The minimum of (used, index) without a branch, since which FIFO it is cannot be predicted.
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t best = kNone;
  for (unsigned f = 0; f < fifos.size(); ++f) {
    const unsigned fits =
        unsigned{fifos[f].directions.meets(possible)} & unsigned{fifos[f].has_room(chunks)};
    const std::uint64_t unless_it_fits = std::uint64_t{fits} - 1;  // all bits or none
    best = std::min(best, unless_it_fits | std::uint64_t{fifos[f].used} << 32 | f);
  }
  if (best == kNone) return std::nullopt;
  return static_cast<unsigned>(best);
}

/// The directions of all FIFOs that are not quite full: most heads of stuck queues fail this first.
inline DirectionSet open_directions(std::span<const InjectionFifo> fifos) {
  unsigned open = 0;
  for (const InjectionFifo& fifo : fifos)
    open |= fifo.directions.bits() * (fifo.has_room(1) ? 1u : 0u);  // without a branch
  return DirectionSet(static_cast<std::uint16_t>(open));
}

class Drain {
 public:
  /// Moves at most `limit` packets: sink(descriptor, fifo), which must take it. Accounts for the
  /// chunks in `fifos`. Returns the number moved; fewer than `limit`: all queues are empty or
  /// stuck.
  template <std::invocable<const SendDescriptor&, unsigned> Sink>
  std::size_t run(OutputQueues& queues, std::span<InjectionFifo> fifos, std::size_t limit,
                  Sink&& sink) {
    DirectionSet open = open_directions(fifos);
    if (open.empty() || limit == 0) return 0;  // the commonest turn of a busy node
    std::size_t moved = 0;
    unsigned iL = queue_;
    for (unsigned skipped = 0; skipped < queues.count(); ++skipped, iL = queues.after(iL)) {
      for (DescriptorQueue& queue = queues[iL]; can_leave(queue, open); skipped = 0) {
        const SendDescriptor& head = queue.front();
        const unsigned chunks = head.header.chunks();
        const auto fifo = least_full(fifos, head.header.hints(), chunks);
        if (!fifo) break;
        fifos[*fifo].used += chunks;
        sink(head, *fifo);
        queue.pop();
        queue_ = iL;
        if (++moved == limit) return moved;
        open = open_directions(fifos);
      }
    }
    return moved;
  }

 private:
  static bool can_leave(const DescriptorQueue& queue, DirectionSet open) {
    return !queue.empty() && open.meets(queue.front().header.hints());
  }

  unsigned queue_ = 0;  ///< iL: the queue that gave the last packet
};

}  // namespace toroid
