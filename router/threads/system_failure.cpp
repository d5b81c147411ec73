#include "router/threads/system_failure.hpp"

#include <fmt/core.h>

#include <cerrno>

namespace toroid {

std::string start_failure(std::string_view what, const std::error_code& reason) {
  constexpr std::string_view kRemedy =
      "; the limit of processes and threads, or of memory, is reached: raise it (ulimit -u, "
      "ulimit -v, pids.max of a container), or use fewer threads or processes";
  const bool is_limit = reason == std::errc::resource_unavailable_try_again;
  return fmt::format("cannot start {}: {}{}", what, reason.message(), is_limit ? kRemedy : "");
}

std::string open_failure(std::string_view what, const std::error_code& reason) {
  return fmt::format("cannot open {}: {}{}", what, reason.message(), open_files_remedy(reason));
}

std::string_view open_files_remedy(const std::error_code& reason) {
  const bool is_limit = reason == std::errc::too_many_files_open ||
                        reason == std::errc::too_many_files_open_in_system;
  return is_limit ? "; raise the limit (ulimit -n)" : "";
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

}  // namespace toroid
