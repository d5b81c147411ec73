// Bootstrap of a job from environment variables, set by PyTorch's launchers or `toroid launch`.
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/key.hpp"
#include "router/job/launcher_pipe.hpp"
#include "router/job/launcher_watch.hpp"
#include "router/job/listening_socket.hpp"
#include "router/placement/launcher_environment.hpp"

namespace toroid::job {
namespace {

constexpr std::uint64_t kMaxSize = 1 << 20;

using Value = std::optional<std::string>;

Value value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? Value() : Value(value);
}

std::string needed(const char* name, const char* why) {
  const Value value = value_of(name);
  if (!value) throw BadInput(fmt::format("{} is not set, but {}", name, why));
  return *value;
}

std::uint64_t number(const char* name, const std::string& text, std::uint64_t min,
                     std::uint64_t max) {
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || *value < min || *value > max)
    throw BadInput(
        fmt::format("{}='{}' is not a whole number from {} to {}", name, text, min, max));
  return *value;
}

/// Refuses a key file that others can access: such a key proves nothing.
void refuse_public(const std::string& path) {
  struct stat status {};
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & kOthers) != 0)
    throw BadInput(fmt::format(
        "TOROID_JOB_KEY_FILE='{}' is accessible to others (mode {:o}); run chmod 600 on it", path,
        status.st_mode & 0777));
}

JobKey key_of_file(const std::string& path) {
  refuse_public(path);
  std::ifstream file(path);
  std::string line;  // at most kLongest + 1 characters: the file may be endless
  for (char c = 0; line.size() <= JobKey::kLongest && file.get(c) && c != '\n';) line += c;
  if (line.empty())
    throw BadInput(fmt::format("cannot read a key from TOROID_JOB_KEY_FILE='{}'", path));
  try {
    return JobKey(line);
  } catch (const BadInput& reason) {
    throw BadInput(fmt::format("TOROID_JOB_KEY_FILE='{}': {}", path, reason.what()));
  }
}

JobKey key_of_environment() {
  if (const Value key = value_of("TOROID_JOB_KEY")) return JobKey(*key);
  if (const Value path = value_of("TOROID_JOB_KEY_FILE")) return key_of_file(*path);
  throw BadInput(
      "a run of several processes needs a key: set TOROID_JOB_KEY or TOROID_JOB_KEY_FILE to the "
      "same secret for all of them");
}

/// Takes over the socket that the launcher has opened; this process's children do not inherit it.
int listener_of_environment(std::uint16_t port) {
  const Value text = value_of("TOROID_LISTENER_FD");
  if (!text) return -1;
  const int fd = static_cast<int>(number("TOROID_LISTENER_FD", *text, 3, 1 << 20));
  Socket listener(is_listening(fd) ? fd : -1);
  if (!listener || port_of(listener) != port)
    throw BadInput(
        fmt::format("TOROID_LISTENER_FD={} does not listen on MASTER_PORT={}", fd, port));
  make_private(listener);
  return listener.release();
}

void find_master(Bootstrap& bootstrap) {
  constexpr const char* kWhy = "WORLD_SIZE is greater than 1";
  bootstrap.master = {needed("MASTER_ADDR", kWhy)};
  if (bootstrap.master.front().empty()) throw BadInput("MASTER_ADDR is empty");
  bootstrap.port =
      static_cast<std::uint16_t>(number("MASTER_PORT", needed("MASTER_PORT", kWhy), 1, 65535));
  bootstrap.key = key_of_environment();
  if (bootstrap.rank == 0) bootstrap.listener = listener_of_environment(bootstrap.port);
  tell_launcher(bootstrap.rank);
  bootstrap.launcher_has_gone = watch_launcher();
}

/// Refuses a process that a launcher has started as one of several without telling it how to find
/// the others: each would compute the whole run alone.
void refuse_lonely() {
  const std::optional<FoundLauncher> found = launcher_of_several();
  if (!found) return;
  throw BadInput(fmt::format(
      "{}, but without PMIx (PMIX_NAMESPACE and PMIX_RANK), by which they find each other; start "
      "them by toroid launch, Open MPI's mpirun or srun --mpi=pmix, or set RANK=${}, "
      "WORLD_SIZE={}, MASTER_ADDR, MASTER_PORT and TOROID_JOB_KEY; {}",
      found->text(), found->launcher->rank, found->size, kRunAlone));
}

bool is_under_pmix() {
  return value_of("PMIX_NAMESPACE") && value_of("PMIX_RANK");
}

}  // namespace

std::optional<Bootstrap> environment_bootstrap() {
  const bool of_processes = value_of("RANK") || value_of("WORLD_SIZE");
  const bool of_master = (value_of("MASTER_ADDR") || value_of("MASTER_PORT")) && !is_under_pmix();
  if (!of_processes && !of_master) return {};
  const char* const why = "others of RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are set";
  Bootstrap bootstrap;
  bootstrap.source = "environment";
  bootstrap.size =
      static_cast<unsigned>(number("WORLD_SIZE", needed("WORLD_SIZE", why), 1, kMaxSize));
  bootstrap.rank =
      static_cast<unsigned>(number("RANK", needed("RANK", why), 0, bootstrap.size - 1));
  // WORLD_SIZE=1 then comes from outside the launcher.
  if (bootstrap.size == 1 && launcher_of_several()) return {};
  if (bootstrap.size > 1) find_master(bootstrap);
  return bootstrap;
}

}  // namespace toroid::job

namespace toroid {

Bootstrap find_bootstrap() {
  if (wants_to_run_alone()) return {};
  if (auto bootstrap = job::environment_bootstrap()) return *std::move(bootstrap);
  if (auto bootstrap = job::pmix_bootstrap()) return *std::move(bootstrap);
  job::refuse_lonely();
  return {};
}

}  // namespace toroid
