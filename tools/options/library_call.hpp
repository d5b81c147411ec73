// Calls of functions in users' libraries: what such a function must not do to the run.
#pragma once

#include <concepts>
#include <string_view>

namespace toroid {

/// Exists while this thread is in a function of a library. If the function calls exit() or
/// quick_exit(), or if an exception leaves a noexcept function, the process ends with exit code 1
/// and a message: "toroid: policy ./mine.so: exit() was called in its constructor".
class LibraryCall {
 public:
  /// `subject`: the policy and its file. `function`: the function that is called. Both texts must
  /// outlive the call.
  LibraryCall(std::string_view subject, std::string_view function);
  ~LibraryCall() { current = outer_; }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

 private:
  static bool guard();
  [[noreturn]] void end_process(std::string_view what) const;

  static thread_local const LibraryCall* current;
  std::string_view subject_;
  std::string_view function_;
  const LibraryCall* outer_;
};

/// Throws the exception that is being handled with the subject and the function in its text:
/// BadInput as BadInput, anything else as RunFailed.
[[noreturn]] void throw_named(std::string_view subject, std::string_view function);

/// Calls a function of a library and returns its result. Exceptions leave by throw_named().
template <std::invocable Call>
auto call_library(std::string_view subject, std::string_view function, const Call& call) {
  const LibraryCall now(subject, function);
  try {
    return call();
  } catch (...) {
    throw_named(subject, function);
  }
}

}  // namespace toroid
