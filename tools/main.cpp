// The `toroid` command.
#include <fcntl.h>
#include <unistd.h>

#include "tools/command/toroid_main.hpp"
#include "tools/run/interruption.hpp"

namespace {

/// Opens /dev/null in place of each standard descriptor that the caller closed, so that no file
/// that is opened later gets the descriptor's number. The descriptor is read-only, so writes to it
/// fail.
void hold_standard_descriptors() {
  int next = ::open("/dev/null", O_RDONLY);
  while (next >= 0 && next <= STDERR_FILENO) next = ::dup(next);
  if (next >= 0) ::close(next);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_descriptors();
  toroid::catch_interrupts();
  return toroid::run_program({argv + (argc > 0 ? 1 : 0), argv + argc});
}
