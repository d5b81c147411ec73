// Implements --checkpoint: saves the state of a run of plain traffic to a file, periodically and
// when the run is interrupted. The same command resumes the run from the file.
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
  std::string file;    ///< path; empty if nothing is saved
  double every = 600;  ///< seconds between two checkpoints

  bool given() const { return !file.empty(); }
};

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options);

/// Saves and resumes one run. Must outlive the fabric. The main thread makes all calls.
class Checkpoint final : public SimCheckpoints {
 public:
  /// `exchange`: the exchange that the nodes run; must outlive this object. Throws BadInput if the
  /// exchange cannot be saved, if the file exists and is not a complete checkpoint of this run, or
  /// if it does not exist and cannot be created.
  Checkpoint(const CheckpointOptions& options, RunIdentity identity, TrafficExchange& exchange,
             bool quiet);

  bool try_resume(const State& fabric) override;
  Tick end_of_segment(Tick next) override;
  /// Saves the state if it is time for the next checkpoint. If the user has interrupted the
  /// command, saves the state and throws Interrupted; if saving fails and there is no older
  /// checkpoint, throws RunFailed.
  void between_segments(Tick now, const State& fabric) override;

  /// Removes the file if it belongs to this run. Call it after the result is written.
  void remove() const;
  // Time that earlier parts of the run have taken.
  double cpu_seconds_before() const { return before_.cpu; }
  double wall_seconds_before() const { return before_.wall; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Seconds {
    double cpu = 0;
    double wall = 0;
  };
  Seconds spent() const;
  /// Saves the state; returns the reason if that failed.
  std::optional<std::string> save(Tick now, const State& fabric);
  std::string kept() const;
  std::string command_to_go_on() const;
  void say(const std::string& what) const;

  CheckpointOptions options_;
  RunIdentity identity_;
  TrafficExchange* exchange_;
  bool quiet_;
  std::unique_ptr<CheckpointReader> found_;  ///< null if there was no file, or after reading it
  Seconds before_;                           ///< taken by earlier parts of the run
  Seconds begun_;                            ///< values of the clocks when this part began
  std::optional<Tick> saved_;                ///< cycle at which the saved state was taken
  Clock::time_point tried_;                  ///< when saving was last tried
  Clock::time_point segment_began_;
  Tick segment_ = 2048;  ///< cycles of the next segment
};

}  // namespace toroid
