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
  const char* size;       ///< variable with the number of processes
  const char* rank;       ///< variable with the number of this process
};

/// A launcher that has started this process.
struct FoundLauncher {
  const KnownLauncher* launcher = nullptr;
  unsigned size = 1;  ///< number of processes

  /// "mpirun has started this process as one of 4 (OMPI_COMM_WORLD_SIZE)"
  std::string text() const;
};

/// The launcher that has started this process; nullopt if none has, or one that is not known.
/// RANK and WORLD_SIZE come first, since they are set on purpose. Of several launchers, such as an
/// mpirun whose daemons srun has started, the one whose variables this process's own launcher sets
/// is found.
std::optional<FoundLauncher> find_launcher();

/// What makes a process that a launcher has started as one of several a run of its own.
inline constexpr std::string_view kRunAlone =
    "for a run of this process alone, set RANK=0 and WORLD_SIZE=1";

}  // namespace toroid
