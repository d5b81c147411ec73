// Carries out --checkpoint: the state of a run of plain traffic in a file, from time to time and
// when it is interrupted, from which the same command goes on.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "hal/tick.hpp"
#include "packet/exchange/traffic_exchange.hpp"
#include "router/sim/checkpoints.hpp"
#include "tools/files/checkpoint_file.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/run/run_identity.hpp"

namespace toroid {

struct CheckpointOptions {
  std::string file;    ///< empty: nothing is saved
  double every = 600;  ///< seconds

  bool given() const { return !file.empty(); }
};

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options);

/// Outlives the fabric. The main thread makes all calls.
class Checkpoint final : public SimCheckpoints {
 public:
  /// `exchange` is what the nodes run, and outlives it. Throws BadInput where the exchange cannot
  /// be saved, where the file exists and is not a whole checkpoint of this very run, or where it
  /// does not and cannot be made.
  Checkpoint(const CheckpointOptions& options, RunIdentity identity, TrafficExchange& exchange,
             bool quiet);

  bool try_resume(const State& fabric) override;
  Tick end_of_segment(Tick next) override;
  /// Throws Interrupted when the user has interrupted the command, after the state was saved, and
  /// RunFailed where it could not be and there is no older one.
  void between_segments(Tick now, const State& fabric) override;

  /// Removes the file, if it is this run's: it has ended, and its result is out.
  void remove() const;
  // What the parts of the run before this one have taken.
  double cpu_seconds_before() const { return before_.cpu; }
  double wall_seconds_before() const { return before_.wall; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Seconds {
    double cpu = 0;
    double wall = 0;
  };
  Seconds spent() const;
  /// The reason why it could not be saved; none: it was.
  std::optional<std::string> save(Tick now, const State& fabric);
  std::string kept() const;
  std::string command_to_go_on() const;
  void say(const std::string& what) const;

  CheckpointOptions options_;
  RunIdentity identity_;
  TrafficExchange* exchange_;
  bool quiet_;
  std::unique_ptr<CheckpointReader> found_;  ///< null: none, or it has been read
  Seconds before_;                           ///< of the parts of the run before this one
  Seconds begun_;                            ///< the clocks when this one began
  std::optional<Tick> saved_;                ///< the cycle that the file holds
  Clock::time_point tried_;                  ///< to save, last
  Clock::time_point segment_began_;
  Tick segment_ = 2048;  ///< cycles of the next segment
};

}  // namespace toroid
