#include "tools/python/process_state.hpp"

#include <pthread.h>

#include <atomic>

namespace toroid::python {
namespace {

std::atomic<unsigned> in_runs = 0;
std::atomic<bool> ending = false;
std::atomic<bool> forked = false;

}  // namespace

InRun::InRun() {
  ++in_runs;
}

InRun::~InRun() {
  --in_runs;
}

bool InRun::any() {
  return in_runs > 0;
}

void begin_to_end() {
  ending = true;
}

bool is_ending() {
  return ending;
}

void watch_forks() {
  static const int watches [[maybe_unused]] =
      ::pthread_atfork(nullptr, nullptr, [] { forked = forked || in_runs > 0; });
}

bool was_forked_during_a_run() {
  return forked;
}

}  // namespace toroid::python
