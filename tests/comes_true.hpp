#pragma once

#include <chrono>
#include <thread>

namespace toroid::testing {

/// Waits until it holds, or for the limit, and says whether it does. The limit is what a busy host
/// with sanitizers never takes: it ends a test that would hang.
template <typename Condition>
bool comes_true(const Condition& holds,
                std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return holds();
}

}  // namespace toroid::testing
