// Tails of packets of the same length, by kind.
#pragma once

#include <algorithm>

#include "hal/tick.hpp"
#include "router/sim/delay_line.hpp"

namespace toroid::sim {

/// Each kind has its own line, so that a loop over a line has no branch on the kind. `Leaving` is
/// the data kept for a tail that leaves an input.
template <typename Leaving>
struct TailLines {
  explicit TailLines(Tick delay) : channels(delay), fifos(delay), delivered(delay) {}

  DelayLineOf<Leaving> channels;  ///< tails that leave channels
  DelayLineOf<Leaving> fifos;     ///< tails that leave injection FIFOs
  DelayLine delivered;            ///< tails that reach a reception FIFO

  Tick next() const { return std::min({channels.next(), fifos.next(), delivered.next()}); }
  void close(Tick now) {
    channels.close(now);
    fifos.close(now);
    delivered.close(now);
  }
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(channels, fifos, delivered);
  }
};

}  // namespace toroid::sim
