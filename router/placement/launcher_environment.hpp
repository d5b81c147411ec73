// The launcher that has started this process together with others, by the environment variables
// that it sets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toroid {

/// A launcher, and the variables that tell each process its place.
struct KnownLauncher {
  std::string_view name;  ///< as in "mpirun has started this process"
  const char* size;       ///< variable with the number of processes; null if there is none
  const char* rank;       ///< variable with the number of this process
  /// Variable that only this launcher gives to the processes that it starts, and does not have
  /// itself; null if there is none.
  const char* mark;
};

/// A launcher that has started this process.
struct FoundLauncher {
  const KnownLauncher* launcher = nullptr;
  unsigned size = 1;  ///< number of processes

  /// "mpirun has started this process as one of 4 (OMPI_COMM_WORLD_SIZE)"
  std::string text() const;
};

/// The launcher that has started this process; nullopt if none has, or one that is not known, or if
/// wants_to_run_alone(). RANK and WORLD_SIZE come before those of MPI and Slurm, since they are set
/// on purpose; but WORLD_SIZE=1 may come from outside the launcher, and counts for nothing. Of
/// several launchers, such as an mpirun whose daemons srun has started, the one whose variables
/// this process's own launcher sets is found.
std::optional<FoundLauncher> find_launcher();
/// The same, if it has started this process as one of several.
std::optional<FoundLauncher> launcher_of_several();

/// The mark of the launcher that has started this process, nearest first; null if none has.
const char* mark_of_launcher();

/// Whether TOROID_ALONE=1 makes this process a run of its own, although a launcher has started it
/// as one of several.
bool wants_to_run_alone();
inline constexpr std::string_view kRunAlone = "for a run of this process alone, set TOROID_ALONE=1";

}  // namespace toroid
