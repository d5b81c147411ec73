// Starts threads, with a clear failure where the system allows no more of them.
#pragma once

#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "hal/check.hpp"
#include "router/threads/system_failure.hpp"

namespace toroid {

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
