#include "tools/lab/policy_check/thread_safety.hpp"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "router/threads/start_thread.hpp"

namespace toroid {
namespace {

constexpr std::chrono::milliseconds kThreadTime{150};  // per machine

/// Threads that ask the same questions, each starting with a different one.
class AskingThreads {
 public:
  AskingThreads(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                std::uint64_t expected)
      : policy_(policy),
        asked_(asked),
        seed_(seed),
        expected_(expected),
        questions_(questions(policy, asked.shape)) {}

  /// Runs the threads and returns what went wrong; empty if nothing did.
  std::string run() {
    start_and_join();
    if (!failed_) return {};
    if (!thrown_) return "gets different answers than a single thread";
    try {
      std::rethrow_exception(thrown_);
    } catch (const std::exception& error) {
      return fmt::format("gets an exception: {}", error.what());
    }
  }

 private:
  void start_and_join() {
    std::vector<std::jthread> threads;
    try {
      for (unsigned t = 0; t < kAskingThreads; ++t)
        threads.push_back(start_thread(fmt::format("thread {}", t), [this, t] { ask(t); }));
    } catch (...) {
      failed_ = true;  // the threads that were started do not wait for the others
      throw;
    }
  }

  void ask(unsigned thread) {
    const auto end = std::chrono::steady_clock::now() + kThreadTime;
    const std::size_t first = questions_.size() * thread / kAskingThreads;
    ++ready_;
    while (ready_ < kAskingThreads && !failed_) std::this_thread::yield();
    try {
      do {
        if (sum_asked(policy_, asked_, seed_, questions_, first) != expected_) fail(nullptr);
      } while (!failed_ && std::chrono::steady_clock::now() < end);
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void fail(std::exception_ptr thrown) {
    if (!failed_.exchange(true)) thrown_ = std::move(thrown);
  }

  const Policy& policy_;
  const AskedCase& asked_;
  std::uint64_t seed_;
  std::uint64_t expected_;
  std::vector<Question> questions_;
  std::atomic<unsigned> ready_ = 0;
  std::atomic<bool> failed_ = false;
  /// Written by the thread that sets failed_; null if it got wrong answers and no exception.
  std::exception_ptr thrown_;
};

}  // namespace

std::string wrong_of_threads(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                             std::uint64_t expected) {
  return AskingThreads(policy, asked, seed, expected).run();
}

}  // namespace toroid
