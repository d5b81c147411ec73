// The `toroid` command.
#include <fcntl.h>
#include <unistd.h>

#include "tools/command/program.hpp"
#include "tools/run/interruption.hpp"

namespace {

/// A file that is opened later must not become a standard one that the caller closed: what is
/// missing gets a descriptor that fails all writes.
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
