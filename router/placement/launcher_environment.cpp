#include "router/placement/launcher_environment.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdlib>

#include "hal/parse_number.hpp"

namespace toroid {
namespace {

constexpr std::string_view kByHand = "a launcher";

/// Nearest first: a launcher may start another one, whose processes inherit its variables. srun is
/// the last one: other launchers start their own daemons with it. SLURM_NTASKS would not do: in an
/// allocation without srun it has the number of processes that may be started.
constexpr std::array kLaunchers = {
    KnownLauncher{"torchrun", "WORLD_SIZE", "RANK", "TORCHELASTIC_RUN_ID"},
    KnownLauncher{"toroid launch", "WORLD_SIZE", "RANK", "TOROID_LAUNCHER_PIPE"},
    KnownLauncher{kByHand, "WORLD_SIZE", "RANK", nullptr},
    KnownLauncher{"a launcher with PMIx", nullptr, "PMIX_RANK", "PMIX_RANK"},
    KnownLauncher{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK"},
    KnownLauncher{"mpirun_rsh", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK",
                  "MV2_COMM_WORLD_RANK"},
    KnownLauncher{"mpiexec", "PMI_SIZE", "PMI_RANK", "PMI_RANK"},
    KnownLauncher{"jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_RANK"},
    KnownLauncher{"flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK", "FLUX_TASK_RANK"},
    KnownLauncher{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_PROCID"}};

bool is_set(const char* variable) {
  return variable != nullptr && std::getenv(variable) != nullptr;
}

std::optional<unsigned> number_in(const char* variable) {
  return is_set(variable) ? parse_number<unsigned>(std::getenv(variable)) : std::nullopt;
}

std::optional<FoundLauncher> found(const KnownLauncher& launcher) {
  const std::optional<unsigned> size = number_in(launcher.size);
  const bool is_marked = launcher.mark == nullptr || is_set(launcher.mark);
  if (!size || !is_marked || !number_in(launcher.rank)) return std::nullopt;
  if (*size <= 1 && launcher.name == kByHand) return std::nullopt;
  return FoundLauncher{&launcher, *size};
}

}  // namespace

std::string FoundLauncher::text() const {
  return fmt::format("{} has started this process as one of {} ({})", launcher->name, size,
                     launcher->size);
}

std::optional<FoundLauncher> find_launcher() {
  if (wants_to_run_alone()) return std::nullopt;
  for (const KnownLauncher& launcher : kLaunchers)
    if (auto one = found(launcher)) return one;
  return std::nullopt;
}

std::optional<FoundLauncher> launcher_of_several() {
  std::optional<FoundLauncher> found = find_launcher();
  return found && found->size > 1 ? found : std::nullopt;
}

const char* mark_of_launcher() {
  for (const KnownLauncher& launcher : kLaunchers)
    if (is_set(launcher.mark)) return launcher.mark;
  return nullptr;
}

bool wants_to_run_alone() {
  const char* const value = std::getenv("TOROID_ALONE");
  return value != nullptr && value == std::string_view("1");
}

}  // namespace toroid
