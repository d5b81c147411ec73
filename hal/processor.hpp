// The interface of the program that a fabric runs on each node. packet::Node implements it.
#pragma once

#include <cstdint>
#include <string>

#include "hal/tick.hpp"

namespace toroid {

/// The state at the end of a turn. It tells the fabric when the next turn is due. A single byte,
/// because g++ returns three bytes by way of memory, which takes longer than the rest of a turn.
struct TurnResult {
  bool output_waiting : 1 = false;  ///< packets wait for room in the injection FIFOs
  bool again : 1 = false;  ///< there is more to do, even if no packet arrives and no FIFO gets room
  bool gone_on : 1 = false;  ///< the program has gone on from one await to another, or to its end
};

/// The program of one node as its fabric sees it. The fabric calls turn() on one thread at a time.
class Processor {
 public:
  virtual ~Processor() = default;
  /// Sends packets that find room, handles received packets, and resumes the program. Never blocks.
  virtual TurnResult turn() = 0;
  // These functions prefetch the memory outside the object that a turn will touch. The object
  // itself has already been fetched. They are useful if there are too many nodes for the caches.
  // prefetch_rest() follows pointers in memory that prefetch() has fetched.
  virtual void prefetch() const {}
  virtual void prefetch_rest() const {}
  /// Whether the program has ended and nothing is left to send.
  virtual bool finished() const = 0;
  /// When the program ended, by the clock of the node's device; 0 before that.
  virtual Tick finished_at() const { return 0; }
  /// Packets in its output queues, which wait for room in injection FIFOs.
  virtual std::uint64_t queued() const { return 0; }
  /// The processor that runs on the node's DMA engine; null if there is none.
  virtual Processor* engine() { return nullptr; }
  /// What the node waits for, as a phrase for the report of a run that cannot go on, e.g. "counter
  /// heard at 3 of 7".
  virtual std::string waits_for() const = 0;
  // For the report of a run that does not end. Any thread may call these during the run.
  /// Number of turns that have begun.
  virtual std::uint64_t turns_taken() const { return 0; }
  /// What the present turn does, as a phrase, e.g. "its program"; empty between turns.
  virtual std::string doing() const { return {}; }
};

}  // namespace toroid
