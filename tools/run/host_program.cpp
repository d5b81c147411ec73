#include "tools/run/host_program.hpp"

#include <atomic>

namespace toroid {
namespace {

std::atomic<HostProgram*> the_host = nullptr;

}  // namespace

HostProgram* host_program() {
  return the_host.load(std::memory_order_acquire);  // partner: set_host_program()
}

void set_host_program(HostProgram* host) {
  the_host.store(host, std::memory_order_release);
}

}  // namespace toroid
