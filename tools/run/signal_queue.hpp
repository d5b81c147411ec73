// The signals that a launcher receives, one by one.
#pragma once

#include <csignal>

#include "router/job/listening_socket.hpp"

namespace toroid {

/// Blocks SIGCHLD and signals_that_end() while it exists, so that they can be waited for together
/// with descriptors. Used by the main thread.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  /// A descriptor that is readable while signals wait.
  int descriptor() const { return queue_.fd(); }
  /// Takes the next signal; 0 if none waits.
  int next() const;

 private:
  sigset_t before_{};
  job::Socket queue_;
};

}  // namespace toroid
