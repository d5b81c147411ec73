// The time and memory of a run before it begins.
#pragma once

#include <string>
#include <string_view>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

/// The bytes that this process may use: those of the host, or of its control group or the limit of
/// its address space (`ulimit -v`) if that is less.
double present_memory();

/// "120 MB", "3.4 GB".
std::string memory_text(double bytes);

/// Throws BadInput if this process may not use `bytes`. `remedy` ends the message; it says what
/// would need less. Without this check the system would promise the memory and kill the process
/// when it is used.
void check_memory(double bytes, std::string_view remedy = "");
/// The same for the least memory that the nodes of the shape take, and for `array_bytes`.
void check_memory(const Shape& shape, double array_bytes);

/// The work of a run, or of several one after the other.
struct RunWork {
  double packets = 0;        ///< injected and received
  double packet_hops = 0;    ///< links crossed by packets
  double compute_flops = 0;  ///< floating-point operations of transforms

  RunWork& operator+=(const RunWork& more);
  RunWork operator*(double times) const;
};

/// What one run takes, or several at once.
struct RunEstimate {
  double seconds = 0;
  double bytes = 0;           ///< memory at the end of a run
  unsigned runs_at_once = 1;  ///< runs that share the memory
};

/// The work of exchanging all messages of a traffic under a policy, estimated from some of them.
/// `peers`: the most others that a node sends to; 0: all that it has messages for.
RunWork exchange_work(const Policy& policy, const Traffic& traffic, const Shape& shape,
                      Rank peers = 0);
/// The work of so many packets, spread evenly over all pairs of nodes whose coordinates agree
/// outside the dimensions [first, last).
RunWork group_work(const Shape& shape, unsigned first, unsigned last, double packets);

/// What a run takes on this host, on as many threads as the options say or the fabric uses by
/// itself. `array_bytes`: memory that the programs allocate. Where the run may be long, the model's
/// speed is measured once, in a tenth of a second. On `ofi` all processes call it in the same
/// order.
RunEstimate estimate_run(const RunWork& work, const Shape& shape, const Machine& machine,
                         const RunOptions& run, double array_bytes);

/// Throws BadInput where the memory is not enough. Unless `quiet`, says on standard error what is
/// expected where that is more than a few seconds or a good part of the memory.
void announce(const RunEstimate& expected, bool quiet);

}  // namespace toroid
