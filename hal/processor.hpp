// What a fabric runs on each node. packet::Node implements it.
#pragma once

#include <string>

namespace toroid {

/// The state in which a turn ended: it tells the fabric when the next turn is due.
struct TurnResult {
  bool output_waiting = false;  ///< packets queue for room in the injection FIFOs
  bool again = false;           ///< there is more to do without waiting for a packet or for room
};

/// The program of one node as its fabric sees it. The fabric calls turn() on one thread at a time.
class Processor {
 public:
  virtual ~Processor() = default;
  /// Sends what finds room, handles what has come, and resumes the program. Never blocks.
  virtual TurnResult turn() = 0;
  // Fetch early what a turn will touch beside the object itself, which has been fetched: where
  // nodes are too many to stay in the caches. What prefetch() fetches says where the rest lies.
  virtual void prefetch() const {}
  virtual void prefetch_rest() const {}
  /// Whether the program has ended and nothing is left to send.
  virtual bool finished() const = 0;
  /// What runs on the node's DMA engine; null: nothing does.
  virtual Processor* engine() { return nullptr; }
  /// One phrase for the report of a run that cannot go on, e.g. "counter heard at 3 of 7".
  virtual std::string waits_for() const = 0;
};

}  // namespace toroid
