#include "router/job/launcher_pipe.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace toroid::job {
namespace {

/// Descriptor and inode, with a colon after each.
std::string identity_of(int pipe) {
  struct stat status {};
  return ::fstat(pipe, &status) == 0 ? fmt::format("{}:{}:", pipe, status.st_ino) : "";
}

}  // namespace

std::string pipe_text(int pipe) {
  return identity_of(pipe) + std::to_string(::getpid());
}

LauncherPipe launcher_pipe() {
  const char* const text = std::getenv(kLauncherPipe);
  if (text == nullptr) return {};
  const int pipe = std::atoi(text);
  const std::string identity = identity_of(pipe);
  if (identity.empty() || !std::string_view(text).starts_with(identity)) return {};
  return {pipe, std::atoi(text + identity.size())};
}

bool has_ended(int fd) {
  pollfd polled{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, 0) > 0;
}

/// A write to a pipe without a reader would end this process by SIGPIPE.
void tell_launcher(std::uint32_t word) {
  const LauncherPipe pipe = launcher_pipe();
  if (pipe.fd < 0 || has_ended(pipe.fd)) return;
  [[maybe_unused]] const auto written = ::write(pipe.fd, &word, sizeof word);
}

}  // namespace toroid::job
