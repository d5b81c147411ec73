// A simulated run: processes, the network between them, and the job that detects the end.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hal/random.hpp"
#include "router/ofi/faulty_transport.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/termination/detector.hpp"
#include "tests/router/ofi/simulation/network.hpp"
#include "tests/router/ofi/simulation/scenario.hpp"
#include "tests/router/ofi/simulation/stream_gateway.hpp"

namespace toroid::simulation {

/// Totals of all runs.
struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::uint64_t numbers = 0;  ///< numbers delivered
  std::uint64_t frames = 0;   ///< frames sent, including acknowledgements and repeats
  std::uint64_t repeats = 0;
  std::uint64_t refused = 0;
};

/// Takes the steps of its processes in an order drawn from the seed. Faults happen only in the
/// first part of a run; in the second part everything must complete.
///
/// **Checked at every step:**
/// - the knowledge of one end of a flow about the other end is true, or was true before;
/// - no window is exceeded;
/// - no reachable process is suspected.
///
/// **Checked at the end:**
/// - all numbers have arrived, and every buffer waits for a frame;
/// - no frame was refused without a reason, and both ends have the same running CRCs;
/// - the job has detected the end of the run, and not too early;
/// - a dead process is suspected;
/// - nothing is sent any more.
///
/// Throws Violation.
class World {
 public:
  World(const Scenario& scenario, std::uint64_t seed);
  void run(Tally& tally);

 private:
  struct Process {
    Process(Network& network, const Scenario& scenario, unsigned self, std::uint64_t seed);
    ofi::FrameBuffers buffers;
    Network::End end;
    ofi::FaultyTransport faulty;
    StreamGateway gateway;
    Clock::time_point paused_until{};
    bool is_dead = false;
  };
  /// A report of a process to the job, in flight.
  struct Report {
    Clock::time_point due;
    termination::MemberReport report;
    std::uint32_t wave;
  };
  /// A request of the job for a report, in flight.
  struct Wish {
    Clock::time_point due;
    std::uint32_t wave;
  };

  unsigned count() const { return static_cast<unsigned>(processes_.size()); }
  Process& process(unsigned p) { return *processes_[p]; }
  StreamGateway& gateway(unsigned p) { return processes_[p]->gateway; }
  bool is_running(unsigned p) {
    return !process(p).is_dead && process(p).paused_until <= network_.now();
  }

  void step();
  void tick(bool moved);
  void take_turn(unsigned p);
  void strike();
  void pause_one();
  void cut_one();
  void bury_one();
  void heal();
  void note_trouble(unsigned a, unsigned b);

  void check_flows(unsigned p);
  void check_flow(unsigned from, unsigned to);
  static void check_held(const ofi::Outflow& out, const ofi::Inflow& in);
  void check_suspect(unsigned p);

  void report(unsigned p, std::uint32_t wave);
  void step_job();
  void judge();

  bool is_settled();
  bool is_settled(unsigned p);
  void finish();
  void settle();
  void check_buffers();
  void check_refusals();
  void check_health();
  void check_silence();
  void check_dead_is_suspected();
  void add_to(Tally& tally);

  Scenario scenario_;
  Random random_;
  Network network_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<Clock::time_point> cut_until_;     ///< [from · processes + to]
  std::vector<Clock::time_point> last_trouble_;  ///< [from · processes + to]
  bool has_faults_ = true;
  int dead_ = -1;
  unsigned still_ = 0;  ///< steps in a row in which nothing has moved
  std::uint64_t steps_ = 0;
  termination::TerminationDetector detector_;
  std::uint32_t wave_ = 0;
  std::vector<std::deque<Report>> reports_;  ///< [process]
  std::vector<std::deque<Wish>> wishes_;     ///< [process]
  bool is_over_ = false;                     ///< the job has decided that the run is over
};

}  // namespace toroid::simulation
