// The parameters of a simulated run, all drawn from its seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "hal/link_errors.hpp"
#include "router/ofi/frame_flow.hpp"

namespace toroid::simulation {

/// A violation of the protocol.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Probability of each network fault per frame or operation, in thousandths.
struct NetworkFaults {
  std::uint32_t drop = 0;
  std::uint32_t corrupt = 0;
  std::uint32_t duplicate = 0;
  std::uint32_t reorder = 0;  ///< also without link checks: no transport has to keep the order
  std::uint32_t delay = 0;    ///< by up to 50 ms
  std::uint32_t busy = 0;     ///< an operation is refused for now
};

/// Probability of each process fault per step, in millionths, in the part with faults.
struct ProcessFaults {
  std::uint32_t pause = 0;      ///< a process is stopped for up to 5 s
  std::uint32_t partition = 0;  ///< one process cannot send to another for up to 5 s
  std::uint32_t death = 0;      ///< a process dies
};

/// Lengths of the parts of a run, and the speed of its clock.
struct Lengths {
  std::uint64_t steps = 2000;  ///< steps with faults
  unsigned crossing = 400;     ///< steps after the end for late acknowledgements
  /// Steps after `crossing`, in which nothing may be sent.
  unsigned silence = 1000;
  std::chrono::microseconds idle_step{500};  ///< longest step if nothing moves
  std::uint32_t report_every = 16;           ///< turns between two reports to the job, on average
};

/// **Swarm:** each seed enables only some of the faults, but may let these happen often. A run in
/// which all faults happened often would not get far, and a run in which all were rare would seldom
/// meet two at once.
struct Scenario {
  unsigned processes = 2;
  ofi::FlowLimits limits{};
  NetworkFaults network{};
  ProcessFaults process{};
  bool has_faulty_transport = false;
  LinkErrors errors{};               ///< faults of the FaultyTransport
  std::uint32_t numbers = 100;       ///< most numbers that a process sends on its own
  std::uint32_t ring = 16;           ///< most numbers that are sent before their credits return
  std::uint32_t slow_release = 2;    ///< a held frame is released with probability 1 / (this + 1)
  std::uint32_t report_delay = 300;  ///< maximum delay of reports to the job, microseconds
  unsigned slowness = 1;             ///< factor for the time of steps and frames
  bool has_slow_process = false;     ///< process 0 takes few steps
  Lengths lengths{};

  static Scenario of(std::uint64_t seed);
  /// A run of some hundred steps: two or three processes with a few numbers, and faults so frequent
  /// that several coincide. An hour has time for many more of these than of long runs, and each
  /// starts with windows, clocks and round trips that have not settled yet.
  static Scenario brief(std::uint64_t seed);
};

}  // namespace toroid::simulation
