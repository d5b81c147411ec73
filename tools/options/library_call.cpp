#include "tools/options/library_call.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <exception>

#include "hal/check.hpp"
#include "hal/process_end.hpp"

namespace toroid {

thread_local const LibraryCall* LibraryCall::current = nullptr;

LibraryCall::LibraryCall(std::string_view subject, std::string_view function)
    : subject_(subject), function_(function), outer_(current) {
  static const bool is_guarded [[maybe_unused]] = guard();
  current = this;
}

/// Sets the functions that exit(), quick_exit() and std::terminate() call in the thread that has
/// called them.
bool LibraryCall::guard() {
  static std::terminate_handler before = nullptr;
  before = std::set_terminate([] {
    if (current != nullptr) current->end_process("an exception that nothing can catch was thrown");
    before();
  });
  const auto on_exit = [] {
    if (current != nullptr) current->end_process("exit() was called");
  };
  return std::atexit(on_exit) == 0 && std::at_quick_exit(on_exit) == 0;
}

void LibraryCall::end_process(std::string_view what) const {
  toroid::end_process(one_line(fmt::format("{}: {} in {}", subject_, what, function_)));
}

void throw_named(std::string_view subject, std::string_view function) {
  try {
    throw;
  } catch (const BadInput& refusal) {
    throw BadInput(one_line(fmt::format("{}: {}", subject, refusal.what())));
  } catch (const std::exception& error) {
    throw RunFailed(one_line(fmt::format("{}: {} threw: {}", subject, function, error.what())));
  } catch (...) {
    throw RunFailed(one_line(
        fmt::format("{}: {} threw something that is not a std::exception", subject, function)));
  }
}

}  // namespace toroid
