// The parameters of a simulated job, all drawn from its seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "router/job/job.hpp"
#include "tests/router/job/simulation/network.hpp"

namespace toroid::job_simulation {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A violation of the protocol.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a process has read as its input.
enum class Input { common, other, none, refused };

/// What happens to a process.
enum class Fate {
  none,
  never_starts,
  starts_late,     ///< when the patience of the others is over
  wrong_size,      ///< claims another number of processes
  wrong_key,       ///< holds another key
  dies,            ///< its connections close
  loses_power,     ///< its connections do not close
  stops,           ///< for a short time, for which nobody may give it up
  stops_long,      ///< goes on when the others have given it up
  stops_for_ever,  ///< its connections stay open
  is_cut,          ///< from the network, for a short time
  is_cut_long,     ///< comes back when the others have given it up
  fails,           ///< its program fails
  leaves,          ///< its program ends before the others
  mistakes,        ///< its program calls another collective operation
  computes,        ///< its program computes for longer than it may after a failure
};

struct Plan {
  milliseconds start{0};
  Fate fate = Fate::none;
  microseconds when{0};    ///< of a fate that has a time, after the first start
  milliseconds length{0};  ///< of a stop or a cut
  unsigned phase = 0;      ///< of the program, for a fate of the program
  unsigned shm = 0;        ///< the file system in its /dev/shm
  Input input = Input::common;
  unsigned host = 0;
};

/// **Swarm:** each seed enables few faults; half of the runs have one at most.
struct Scenario {
  JobOptions options{};
  LinkOptions links{};
  microseconds delay{0};      ///< most time until a process takes a turn that is due
  std::vector<Plan> plans{};  ///< [rank]
  unsigned strangers = 0;     ///< connections to process 0 that prove nothing
  bool has_double = false;    ///< a second process claims the last rank
  std::optional<microseconds> launcher_dies{};
  bool launcher_tells = false;           ///< the launcher reports dead processes
  unsigned runs = 1;                     ///< that are watched, one after the other
  unsigned numbers = 10;                 ///< most numbers that a process sends in a run
  bool stalls = false;                   ///< a process never sends its last number
  std::optional<microseconds> sleeps{};  ///< all processes stop at once, as on a host that sleeps
  OnLoss on_loss = OnLoss::fail;
  bool tells_difference = false;  ///< processes that find that inputs differ fail the job
  /// Pairs of which the first may not open the file, or may not read the memory, of the second.
  enum class Ban { none, one, all } open_ban = Ban::none, read_ban = Ban::none;

  unsigned size() const { return static_cast<unsigned>(plans.size()); }
  bool has_equal_inputs() const;
  bool can_open(unsigned rank, unsigned other) const;
  bool can_read(unsigned rank, unsigned other) const;
  std::string text() const;

  static Scenario of(std::uint64_t seed);
};

/// When everybody who starts in time has started, after the first start.
inline constexpr milliseconds kStartsWithin{300};

}  // namespace toroid::job_simulation
