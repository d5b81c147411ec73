// The node programs of the message benchmarks.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid::bench {

/// The iterations of a benchmark in batches as equal as they can be. Batch 0 is the warm-up.
struct Loop {
  unsigned batches;          ///< that count
  std::uint64_t iterations;  ///< of all batches that count
  std::uint64_t warm_up;     ///< iterations of batch 0

  std::uint64_t of(unsigned batch) const {
    if (batch == 0) return warm_up;
    return iterations / batches + (batch <= iterations % batches ? 1 : 0);
  }
};

/// When a batch began and ended, on a node's clock.
struct TickSpan {
  Tick begin;
  Tick end;
};

/// What a node does in a benchmark of streams.
enum class Part : std::uint8_t { none, receives, sends };

/// What one node knows and measures. Its program alone writes it while the run lasts.
struct Side {
  std::uint64_t bytes;  ///< of a message, or of a pair of nodes in an exchange
  Loop loop;
  std::uint32_t window;                ///< messages; 0: all messages of a batch
  const ExchangePlan* plan = nullptr;  ///< of exchange_rounds(); null for other programs
  bool together = false;               ///< all nodes begin every batch at once, behind a barrier
  Part part = Part::none;
  Rank peer = 0;                  ///< the other node of its pair, where it takes part
  std::vector<TickSpan> times{};  ///< of each batch; empty where the node does not measure

  void note(Tick begin, Tick end) { times.push_back({begin, end}); }
};

// Ping-pong: an iteration is a message there and one back.
Program ping(Node& node, Side& side);
Program pong(Node& node, Side& side);
// Windows of messages one way; each is acknowledged by one packet before the next begins.
Program stream_out(Node& node, Side& side);
Program stream_in(Node& node, Side& side);
/// Windows of messages both ways at once, without acknowledgement.
Program stream_both_ways(Node& node, Side& side);
/// A node without a part, which only takes part in barriers.
Program no_part(Node& node, Side& side);
/// All-to-all exchanges, back to back.
Program exchange_rounds(Node& node, Side& side);
/// Node 0 keeps its worker going round; the others have nothing to do until it has ended.
Program go_round(Node& node, Side& side);

}  // namespace toroid::bench
