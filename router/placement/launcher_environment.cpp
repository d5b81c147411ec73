#include "router/placement/launcher_environment.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdlib>

#include "hal/parse_number.hpp"

namespace toroid {
namespace {

constexpr KnownLauncher kByHand = {"a launcher", "WORLD_SIZE", "RANK"};
constexpr KnownLauncher kTorchrun = {"torchrun", "WORLD_SIZE", "RANK"};
constexpr KnownLauncher kToroid = {"toroid launch", "WORLD_SIZE", "RANK"};

/// srun is the last one: other launchers start their own daemons with it, whose variables the
/// processes inherit. SLURM_NTASKS would not do: in an allocation without srun it has the number of
/// processes that may be started.
constexpr std::array kLaunchers = {
    KnownLauncher{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    KnownLauncher{"mpirun_rsh", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
    KnownLauncher{"mpiexec", "PMI_SIZE", "PMI_RANK"},
    KnownLauncher{"jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"},
    KnownLauncher{"flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
    KnownLauncher{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

std::optional<unsigned> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt : parse_number<unsigned>(text);
}

std::optional<FoundLauncher> found(const KnownLauncher& launcher) {
  const std::optional<unsigned> size = number_in(launcher.size);
  if (!size || !number_in(launcher.rank)) return std::nullopt;
  return FoundLauncher{&launcher, *size};
}

/// RANK and WORLD_SIZE have the same meaning for everyone who sets them.
const KnownLauncher& setter_of_rank() {
  if (std::getenv("TORCHELASTIC_RUN_ID") != nullptr) return kTorchrun;
  return std::getenv("TOROID_LAUNCHER_PIPE") != nullptr ? kToroid : kByHand;
}

}  // namespace

std::string FoundLauncher::text() const {
  return fmt::format("{} has started this process as one of {} ({})", launcher->name, size,
                     launcher->size);
}

std::optional<FoundLauncher> find_launcher() {
  if (auto one = found(setter_of_rank())) return one;
  for (const KnownLauncher& launcher : kLaunchers)
    if (auto one = found(launcher)) return one;
  return std::nullopt;
}

}  // namespace toroid
