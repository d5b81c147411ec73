#include "router/ofi/dev_shm_cleanup.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace toroid::ofi {
namespace {

constexpr const char* kSharedMemory = "/dev/shm";
constexpr std::string_view kShmAddress = "fi_shm://";  // then PROCESS:USER:NUMBER and a zero byte

std::filesystem::path file_of(const Blob& address) {
  const std::string text = text_of(address).c_str();  // NOLINT: up to the zero byte
  if (!text.starts_with(kShmAddress) || text.find('/', kShmAddress.size()) != std::string::npos)
    return {};
  return std::filesystem::path(kSharedMemory) / text.substr(kShmAddress.size());
}

std::optional<struct stat> state_of(const std::filesystem::path& path) {
  struct stat state {};
  if (::lstat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return std::nullopt;
  return state.st_uid == ::geteuid() ? std::optional(state) : std::nullopt;
}

}  // namespace

void DevShmCleanup::note(std::span<const Blob> addresses) {
  for (const Blob& address : addresses) {
    const std::filesystem::path path = file_of(address);
    if (path.empty()) continue;
    if (const auto state = state_of(path)) files_.push_back({path, state->st_dev, state->st_ino});
  }
}

DevShmCleanup::~DevShmCleanup() {
  if (job_.failure().empty()) return;
  for (const File& file : files_) {
    const auto state = state_of(file.path);
    if (state && state->st_dev == file.device && state->st_ino == file.inode)
      ::unlink(file.path.c_str());
  }
}

void remove_shared_files_of(pid_t process) {
  const std::string begin = fmt::format("{}:{}:", process, ::geteuid());
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(kSharedMemory, unreadable))
    if (entry.path().filename().string().starts_with(begin) && state_of(entry.path()))
      ::unlink(entry.path().c_str());
}

}  // namespace toroid::ofi
