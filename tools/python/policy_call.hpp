// Records which threads are inside a method of a policy written in Python.
#pragma once

namespace toroid::python {

/// Exists while the calling thread is inside such a method.
class PolicyCall {
 public:
  PolicyCall();
  ~PolicyCall();
  PolicyCall(const PolicyCall&) = delete;
  PolicyCall& operator=(const PolicyCall&) = delete;

  /// Whether the calling thread is inside such a method.
  static bool is_going_on();
  /// Whether a method is running that began before the calling thread did: the thread is then
  /// taken to be one that the method has started and waits for.
  static bool has_begun_this_thread();
  /// Raises KeyboardInterrupt in all running methods, so that an endless loop there ends too.
  /// REQUIRES: the interpreter's lock.
  static void interrupt();
};

}  // namespace toroid::python
