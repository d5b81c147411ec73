// What a fabric runs on each node. packet::Node implements it.
#pragma once

#include <string>

namespace toroid {

/// What a turn left behind: what the fabric needs to know to call the next one at the right time.
struct TurnResult {
  bool output_waiting = false;  ///< packets queue for room in the injection FIFOs
  bool again = false;           ///< there is more to do without waiting for a packet or for room
};

class Processor {
 public:
  virtual ~Processor() = default;
  /// Drain, receive, resume. Never blocks.
  virtual TurnResult turn() = 0;
  /// The program has ended and nothing is left to send.
  virtual bool finished() const = 0;
  /// One phrase for the report of a run that cannot go on, e.g. "counter heard at 3 of 7".
  virtual std::string waits_for() const = 0;
};

}  // namespace toroid
