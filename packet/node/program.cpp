#include "packet/node/program.hpp"

#include "hal/check.hpp"

namespace toroid {

void Program::resume() {
  TOROID_CHECK(!done());
  frame_.promise().wait = nullptr;
  frame_.resume();
  if (auto error = std::exchange(frame_.promise().error, nullptr)) std::rethrow_exception(error);
}

void Program::resume_to_await() {
  TOROID_CHECK(!done());
  frame_.promise().waits_unasked = true;
  resume();
}

}  // namespace toroid
