#include "router/ofi/dev_shm_cleanup.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <system_error>

namespace toroid::ofi {
namespace {

/// When the process was started, in clock ticks since the boot; 0 if there is no such process, or
/// if it has ended and only its parent does not know.
std::uint64_t start_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');  // the name may contain blanks and brackets
  if (name_end == std::string::npos || text.substr(name_end, 3) == ") Z") return 0;
  constexpr unsigned kFieldsBetween = 20;  // proc(5): the name is field 2, the start field 22
  std::size_t at = name_end;
  for (unsigned field = 0; field < kFieldsBetween && at != std::string::npos; ++field)
    at = text.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 10);
}

std::string prefix_of(pid_t process) {
  return fmt::format("toroid-{}-{}-", pid_namespace(), process);
}

bool is_own_file(const std::filesystem::path& path) {
  struct stat state {};
  return ::lstat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
         state.st_uid == ::geteuid();
}

/// Removes this user's files whose names begin with `prefix` and continue as `is_wanted` says.
void remove_files(const std::string& prefix,
                  const std::function<bool(const char* rest)>& is_wanted) {
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(kDevShm, unreadable)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && is_wanted(name.c_str() + prefix.size()) &&
        is_own_file(entry.path()))
      ::unlink(entry.path().c_str());
  }
}

}  // namespace

std::uint64_t pid_namespace() {
  struct stat state {};
  return ::stat("/proc/self/ns/pid", &state) == 0 ? state.st_ino : 0;
}

std::string new_shared_file_name(std::uint64_t session, unsigned rank) {
  static std::atomic<unsigned> count = 0;
  const pid_t self = ::getpid();
  return fmt::format("{}{}-{:016x}-{}-{}", prefix_of(self), start_of(self), session, rank, ++count);
}

void remove_shared_files_of(pid_t process) {
  remove_files(prefix_of(process), [](const char*) { return true; });
}

void remove_shared_files_of_the_dead() {
  if (pid_namespace() == 0 || start_of(::getpid()) == 0) return;  // without /proc all look dead
  remove_files(fmt::format("toroid-{}-", pid_namespace()), [](const char* rest) {
    char* end = nullptr;
    const long process = std::strtol(rest, &end, 10);
    return process > 0 && *end == '-' &&
           std::strtoull(end + 1, nullptr, 10) != start_of(static_cast<pid_t>(process));
  });
}

}  // namespace toroid::ofi
