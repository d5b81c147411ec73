// The `toroid` command: 0 done, 1 the run failed, 2 bad input, 128 + a signal's number: interrupted
// with a checkpoint.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "hal/check.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/run/progress.hpp"

namespace {

/// Not by fmt::print, which throws where standard error is closed.
int complain(const std::string& what, int code) {
  std::fputs(("toroid: " + toroid::one_line(what) + "\n").c_str(), stderr);
  return code;
}

/// A file that is opened later must not become a standard one that the caller closed: what is
/// missing gets a descriptor that fails all writes.
void hold_standard_descriptors() {
  int next = ::open("/dev/null", O_RDONLY);
  while (next >= 0 && next <= STDERR_FILENO) next = ::dup(next);
  if (next >= 0) ::close(next);
}

/// A refusal without its middle where it is longer than anybody reads: a value in it may be of any
/// length, and the reason stands before or behind it.
int refuse(const std::string& what) {
  constexpr std::size_t kHead = 600, kTail = 300;  // bytes
  constexpr std::string_view kGap = " ... ";
  if (what.size() <= kHead + kGap.size() + kTail) return complain(what, 2);
  const std::size_t tail = toroid::character_end(what, what.size() - kTail);
  return complain(fmt::format("{}{}{}", what.substr(0, toroid::character_end(what, kHead)), kGap,
                              what.substr(tail)),
                  2);
}

int cannot_print(int error) {
  return complain("cannot write to standard output: " + std::generic_category().message(error), 1);
}

/// Only the last flush tells whether all that was printed has been written.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return cannot_print(errno);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  toroid::catch_interrupts();
  try {
    return flushed(toroid::CommandLine().run({argv + (argc > 0 ? 1 : 0), argv + argc}));
  } catch (const toroid::BadInput& error) {
    return refuse(error.what());
  } catch (const toroid::Interrupted& error) {
    return complain(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", 1);
  } catch (const std::system_error& error) {  // fmt's, of a table longer than the buffer
    return std::ferror(stdout) != 0 ? cannot_print(error.code().value())
                                    : complain(error.what(), 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}
