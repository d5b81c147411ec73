#pragma once

#include <chrono>
#include <thread>

namespace toroid::testing {

/// Waits until the condition holds or the time limit is over; returns whether it holds. The default
/// limit is longer than a busy host with sanitizers ever needs: it only ends a test that would
/// hang.
template <typename Condition>
bool comes_true(const Condition& holds,
                std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return holds();
}

}  // namespace toroid::testing
