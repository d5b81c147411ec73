#include "packet/node/program.hpp"

namespace toroid {

void Program::resume() {
  frame_.promise().wait = nullptr;
  frame_.resume();
  if (auto error = std::exchange(frame_.promise().error, nullptr)) std::rethrow_exception(error);
}

}  // namespace toroid
