#include "tools/run/embedding_program.hpp"

#include <atomic>

namespace toroid {
namespace {

std::atomic<EmbeddingProgram*> the_host = nullptr;

}  // namespace

EmbeddingProgram* host_program() {
  return the_host.load(std::memory_order_acquire);  // partner: set_host_program()
}

void set_host_program(EmbeddingProgram* host) {
  the_host.store(host, std::memory_order_release);
}

}  // namespace toroid
