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

/// The iterations of a benchmark in batches of nearly equal size. Batch 0 is the warm-up.
struct Loop {
  unsigned batches;          ///< without the warm-up
  std::uint64_t iterations;  ///< total of all batches, without the warm-up
  std::uint64_t warm_up;     ///< iterations of batch 0

  std::uint64_t of(unsigned batch) const {
    if (batch == 0) return warm_up;
    return iterations / batches + (batch <= iterations % batches ? 1 : 0);
  }
};

/// Begin and end of a batch on a node's clock.
struct TickSpan {
  Tick begin;
  Tick end;
};

/// What a node does in a benchmark of streams.
enum class Part : std::uint8_t { none, receives, sends };

/// Inputs and measurements of one node. During the run only the node's program writes to it.
struct Side {
  std::uint64_t bytes;  ///< per message, or per pair of nodes in an exchange
  Loop loop;
  std::uint32_t window;                ///< messages per window; 0 if a batch is one window
  const ExchangePlan* plan = nullptr;  ///< for exchange_rounds(); null for other programs
  bool together = false;               ///< all nodes begin each batch together, after a barrier
  Part part = Part::none;
  Rank peer = 0;                  ///< the other node of the pair; unused if `part` is none
  std::vector<TickSpan> times{};  ///< of all batches; empty if the node does not measure

  void note(Tick begin, Tick end) { times.push_back({begin, end}); }
};

// Ping-pong: an iteration is a round trip of a message.
Program ping(Node& node, Side& side);
Program pong(Node& node, Side& side);
// Windows of messages in one direction. One packet acknowledges each window before the next begins.
Program stream_out(Node& node, Side& side);
Program stream_in(Node& node, Side& side);
/// Windows of messages in both directions at once, without acknowledgement.
Program stream_both_ways(Node& node, Side& side);
/// For nodes that neither send nor receive: they only join the barriers.
Program no_part(Node& node, Side& side);
/// All-to-all exchanges, back to back.
Program exchange_rounds(Node& node, Side& side);
/// Node 0 stays busy, so its worker cycles through all of its nodes. The other nodes have nothing
/// to do until node 0 has finished.
Program go_round(Node& node, Side& side);

}  // namespace toroid::bench
