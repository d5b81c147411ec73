// A node's program: one long-lived C++20 coroutine, resumed only from the node's loop.
//
// g++ 12 miscompiles some coroutines without a warning (double destruction of temporaries). Rules:
// - awaiters are trivially destructible (checked below);
// - a co_await expression contains only named variables and trivial values;
// - there are no lambda coroutines and no symmetric transfer;
// - parameters are Node& and plain values;
// - the frame lives until the fabric has stopped.
#pragma once

#include <coroutine>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

namespace toroid {

class Program;

/// What a suspended program waits for. Lives in the coroutine's frame.
class Wait {
 public:
  /// Whether the program may go on; asked every turn until it returns true.
  virtual bool ready() = 0;
  virtual std::string text() const = 0;
  /// The part whose end the program waits for; null if it waits for something else.
  virtual const Program* part() const { return nullptr; }

 protected:
  Wait() = default;
  Wait(const Wait&) = default;
  Wait& operator=(const Wait&) = default;
  ~Wait() = default;
};

/// A coroutine and its frame, which it owns. The node that runs it resumes it.
class Program {
 public:
  struct promise_type {
    Wait* wait = nullptr;
    bool waits_unasked = false;  ///< see Program::resume_to_await()
    std::exception_ptr error;

    Program get_return_object() {
      return Program(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }

    template <typename Awaiter>
    Awaiter&& await_transform(Awaiter&& awaiter) {
      static_assert(std::is_trivially_destructible_v<std::remove_cvref_t<Awaiter>>,
                    "g++ 12 destroys such an awaiter twice");
      awaiter.waits_unasked_ = std::exchange(waits_unasked, false);
      return std::forward<Awaiter>(awaiter);
    }
  };

  Program() = default;
  Program(Program&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Program& operator=(Program&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Program() {
    if (frame_) frame_.destroy();
  }

  bool done() const { return !frame_ || frame_.done(); }
  /// What the program waits for; null before the first resume and after the end.
  Wait* wait() const { return done() ? nullptr : frame_.promise().wait; }
  /// Runs to the next await that is not ready. Rethrows an exception that the program has thrown.
  /// REQUIRES: not done.
  void resume();
  /// Like resume(), but runs only to the next await, and does not ask it whether it is ready, which
  /// might change something.
  void resume_to_await();

 private:
  explicit Program(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  std::coroutine_handle<promise_type> frame_;
};

/// Base of everything that can be awaited with co_await.
class Awaiter : public Wait {
 public:
  bool await_ready() { return !waits_unasked_ && ready(); }
  void await_suspend(std::coroutine_handle<Program::promise_type> frame) {
    frame.promise().wait = this;
  }
  void await_resume() {}

 private:
  friend struct Program::promise_type;
  bool waits_unasked_ = false;
};

}  // namespace toroid
