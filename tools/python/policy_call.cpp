#include "tools/python/policy_call.hpp"

#include <pybind11/pybind11.h>

#include <mutex>
#include <set>

namespace toroid::python {
namespace {

thread_local unsigned depth = 0;

struct AskingThreads {
  std::mutex mutex;
  std::set<unsigned long> numbers;  ///< the interpreter's thread identifiers
};

AskingThreads& asking_threads() {
  static AskingThreads threads;
  return threads;
}

}  // namespace

PolicyCall::PolicyCall() {
  if (depth++ > 0) return;
  const std::lock_guard lock(asking_threads().mutex);
  asking_threads().numbers.insert(PyThread_get_thread_ident());
}

PolicyCall::~PolicyCall() {
  if (--depth > 0) return;
  const std::lock_guard lock(asking_threads().mutex);
  asking_threads().numbers.erase(PyThread_get_thread_ident());
}

bool PolicyCall::is_going_on() {
  return depth > 0;
}

void PolicyCall::interrupt() {
  const std::lock_guard lock(asking_threads().mutex);
  for (const unsigned long number : asking_threads().numbers)
    PyThreadState_SetAsyncExc(number, PyExc_KeyboardInterrupt);
}

}  // namespace toroid::python
