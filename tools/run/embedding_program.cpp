#include "tools/run/embedding_program.hpp"

#include <atomic>

namespace toroid {
namespace {

std::atomic<EmbeddingProgram*> the_program = nullptr;

}  // namespace

EmbeddingProgram* embedding_program() {
  return the_program.load(std::memory_order_acquire);  // partner: set_embedding_program()
}

void set_embedding_program(EmbeddingProgram* host) {
  the_program.store(host, std::memory_order_release);
}

}  // namespace toroid
