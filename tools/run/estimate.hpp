// Estimates the time and memory of a run before it begins.
#pragma once

#include <string>
#include <string_view>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// The bytes that this process may use: the least of the host's memory, the control group's limit
/// and the limit of the address space (`ulimit -v`).
double present_memory();

/// "120 MB", "3.4 GB".
std::string memory_text(double bytes);

/// Throws BadInput if this process may not use `bytes`. The message ends with `remedy`, an advice.
/// Without this check the system would promise the memory, and would kill the process when the
/// memory is used.
void check_memory(double bytes, std::string_view remedy = "");
/// check_memory() for `array_bytes` and the least memory that the nodes of the shape take.
void check_memory(const Shape& shape, double array_bytes);

/// The work of one run or of several successive runs.
struct RunWork {
  double packets = 0;        ///< injected and received
  double packet_hops = 0;    ///< links crossed by packets
  double compute_flops = 0;  ///< floating-point operations of transforms

  RunWork& operator+=(const RunWork& more);
  RunWork operator*(double times) const;
};

/// The time and memory of one run or of several at once.
struct RunEstimate {
  double seconds = 0;
  double bytes = 0;           ///< memory at the end of a run
  unsigned runs_at_once = 1;  ///< runs that share the memory
};

/// The work of exchanging all messages of a traffic under a policy, estimated from some of them.
/// `peers` is the largest number of peers that a node sends to; 0 means all of them.
RunWork exchange_work(const Policy& policy, const Traffic& traffic, const Shape& shape,
                      Rank peers = 0);
/// The work of `packets` packets, spread evenly over all pairs of nodes whose coordinates are equal
/// outside the dimensions [first, last).
RunWork group_work(const Shape& shape, unsigned first, unsigned last, double packets);

/// Estimates a run on this host with the run's number of threads. `array_bytes` is the memory that
/// the programs allocate. If a run on `sim` may be long, measures the speed of the model, once per
/// process and in a tenth of a second. On `ofi` all processes call it in the same order.
RunEstimate estimate_run(const RunWork& work, const Shape& shape, const Machine& machine,
                         const RunOptions& run, double array_bytes);

/// Throws BadInput if the memory does not suffice. Unless `quiet` is set, prints the estimate to
/// standard error if the run takes at least 5 seconds or a tenth of the memory.
void announce(const RunEstimate& expected, bool quiet);

}  // namespace toroid
