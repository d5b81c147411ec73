// Starts threads, with a clear failure where the system allows no more of them; failures to start
// processes and to open files.
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "hal/check.hpp"

namespace toroid {

/// "cannot start WHAT: REASON", for a thread or process. If the limit of processes and threads is
/// reached, the text says how to raise it.
std::string start_failure(std::string_view what, const std::error_code& reason);

/// "cannot open WHAT: REASON", and the remedy for the limit of open files.
std::string open_failure(std::string_view what, const std::error_code& reason);
/// If the limit of open files is reached, how to raise it, as the end of a message; otherwise
/// empty.
std::string_view open_files_remedy(const std::error_code& reason);
/// The error in errno.
std::error_code last_error();

/// Starts a thread that calls `work`. `what` names it in the failure, e.g. "worker 3". Throws
/// RunFailed if it cannot be started.
template <typename Thread = std::jthread, typename Work>
Thread start_thread(std::string_view what, Work&& work) {
  try {
    return Thread(std::forward<Work>(work));
  } catch (const std::system_error& error) {
    throw RunFailed(start_failure(what, error.code()));
  }
}

}  // namespace toroid
