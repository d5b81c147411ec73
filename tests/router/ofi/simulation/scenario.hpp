// What happens in a simulated run, all of it drawn from its seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "hal/link_errors.hpp"
#include "router/ofi/flow.hpp"

namespace toroid::simulation {

/// Something that the protocol must never do.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Chances of what a network does to each frame and each operation, in thousandths.
struct NetworkFaults {
  std::uint32_t drop = 0;
  std::uint32_t corrupt = 0;
  std::uint32_t duplicate = 0;
  std::uint32_t reorder = 0;  ///< also where links are not checked: no transport keeps an order
  std::uint32_t delay = 0;    ///< by up to 50 ms
  std::uint32_t busy = 0;     ///< operations to which it says "not now"
};

/// Chances of what befalls processes at each step, in millionths, while faults last.
struct ProcessFaults {
  std::uint32_t pause = 0;      ///< a process is stopped, up to 5 s
  std::uint32_t partition = 0;  ///< nothing passes from one process to another, up to 5 s
  std::uint32_t death = 0;      ///< of one process
};

/// How long the parts of a run are, and how fast time goes in it.
struct Lengths {
  std::uint64_t steps = 2000;                ///< in which faults happen
  unsigned crossing = 400;                   ///< steps behind the end, in which answers still cross
  unsigned silence = 1000;                   ///< steps behind these, in which nothing is sent
  std::chrono::microseconds idle_step{500};  ///< at most, where nothing moves
  std::uint32_t report_every = 16;           ///< turns between two reports to the job, on average
};

/// **Swarm:** each seed has some of the faults, and these often: a run with all of them always
/// would not come far, one with a little of each would seldom meet two at once.
struct Scenario {
  unsigned processes = 2;
  ofi::FlowLimits limits{};
  NetworkFaults network{};
  ProcessFaults process{};
  bool has_faulty_transport = false;
  LinkErrors errors{};               ///< of the FaultyTransport
  std::uint32_t numbers = 100;       ///< that each process sends of its own accord, in all
  std::uint32_t ring = 16;           ///< numbers without a credit
  std::uint32_t slow_release = 2;    ///< a frame is released in one of so many steps
  std::uint32_t report_delay = 300;  ///< of reports to the job, at most, microseconds
  unsigned slowness = 1;             ///< what steps and frames take is multiplied by it
  bool has_slow_process = false;     ///< process 0 takes few steps
  Lengths lengths{};

  static Scenario of(std::uint64_t seed);
  /// A run of some hundred steps: two or three processes with a few numbers, and faults so often
  /// that several meet in it. Many more of them than of the long ones go into an hour, and each
  /// begins anew, where windows, clocks and round trips are not settled.
  static Scenario brief(std::uint64_t seed);
};

}  // namespace toroid::simulation
