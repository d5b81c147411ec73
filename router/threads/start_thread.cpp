#include "router/threads/start_thread.hpp"

#include <fmt/core.h>

namespace toroid {

std::string start_failure(std::string_view what, const std::error_code& reason) {
  constexpr std::string_view kRemedy =
      "; the limit of processes and threads, or of memory, is reached: raise it (ulimit -u, "
      "ulimit -v, pids.max of a container), or use fewer threads or processes";
  const bool is_limit = reason == std::errc::resource_unavailable_try_again;
  return fmt::format("cannot start {}: {}{}", what, reason.message(), is_limit ? kRemedy : "");
}

}  // namespace toroid
