// What a run will take, said before it begins.
#pragma once

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/command_line/options.hpp"

namespace toroid {

/// Work of a run, or of several one after the other.
struct RunWork {
  double packets = 0;        ///< that processors put in and take out
  double packet_hops = 0;    ///< links that they cross
  double compute_flops = 0;  ///< of transforms

  RunWork& operator+=(const RunWork& more);
  RunWork operator*(double times) const;
};

struct Expectation {
  double seconds = 0;
  double bytes = 0;           ///< of memory at the run's end
  unsigned runs_at_once = 1;  ///< that have it together
};

/// An exchange of all messages of a traffic under a policy, each node to `peers` others at most (0:
/// to all it has messages for): a mean over some of the messages.
RunWork exchange_work(const Policy& policy, const Traffic& traffic, const Shape& shape,
                      Rank peers = 0);
/// So many packets between any two of the nodes that share their coordinates outside the dimensions
/// [first, last).
RunWork group_work(const Shape& shape, unsigned first, unsigned last, double packets);

/// A run on this host, on as many threads as the options have or the fabric takes by itself;
/// `array_bytes`: of what the programs allocate. The model's speed is measured, in a tenth of a
/// second, once, where the run may be long. On `ofi` all processes call it in the same order.
Expectation run_expectation(const RunWork& work, const Shape& shape, const Machine& machine,
                            const RunOptions& run, double array_bytes);

/// Refuses what the memory cannot hold; says on standard error what is expected where that is more
/// than a few seconds or a good part of the memory, unless `quiet`.
void announce(const Expectation& expected, bool quiet);

}  // namespace toroid
