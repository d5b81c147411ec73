#include "tools/command/toroid_main.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "hal/check.hpp"
#include "tools/command/command_line.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/processes.hpp"

namespace toroid {
namespace {

/// Prints a message and returns `code`. Does not use fmt::print, which throws if standard error is
/// closed.
int complain(const std::string& what, int code) {
  std::fputs(("toroid: " + one_line(what) + "\n").c_str(), stderr);
  return code;
}

/// Prints a refusal. If it is very long, its middle is left out: a value in it may have any length,
/// and the reason stands before or after the value.
int refuse(const std::string& what) {
  constexpr std::size_t kHead = 600, kTail = 300;  // bytes
  constexpr std::string_view kGap = " ... ";
  if (what.size() <= kHead + kGap.size() + kTail) return complain(what, 2);
  const std::size_t tail = character_end(what, what.size() - kTail);
  return complain(
      fmt::format("{}{}{}", what.substr(0, character_end(what, kHead)), kGap, what.substr(tail)),
      2);
}

int cannot_print(int error) {
  return complain("cannot write to standard output: " + std::generic_category().message(error), 1);
}

/// Flushes standard output and returns the exit code. Only the last flush tells whether everything
/// printed has been written.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return cannot_print(errno);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  try {
    return flushed(run_command_line(arguments));
  } catch (const SharedRefusal& error) {
    error.tell_once([&] { refuse(error.what()); });
    return 2;
  } catch (const BadInput& error) {
    return refuse(error.what());
  } catch (const Interrupted& error) {
    return complain(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", 1);
  } catch (const std::system_error& error) {  // thrown by fmt for a table longer than the buffer
    return std::ferror(stdout) != 0 ? cannot_print(error.code().value())
                                    : complain(error.what(), 1);
  } catch (const std::exception& error) {
    return is_ended_by_launcher() ? 1 : complain(printed_failure(error.what()), 1);
  } catch (...) {
    return complain("the run threw something that is not a std::exception", 1);
  }
}

}  // namespace toroid
