#include "tools/python/policy_call.hpp"

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

namespace toroid::python {
namespace {

thread_local unsigned depth = 0;

/// Time since the machine was booted, in the kernel's ticks.
using Ticks = unsigned long long;

Ticks now() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  const auto per_second = static_cast<Ticks>(::sysconf(_SC_CLK_TCK));
  return static_cast<Ticks>(time.tv_sec) * per_second +
         static_cast<Ticks>(time.tv_nsec) * per_second / 1'000'000'000;
}

/// When the calling thread began; 0 if the kernel does not tell.
Ticks begin_of_this_thread() {
  std::ifstream file("/proc/thread-self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string field;
  constexpr int kStartTime = 22 - 2;  // in proc(5), of the fields after the name
  for (int i = 0; i < kStartTime; ++i) fields >> field;
  return fields ? std::strtoull(field.c_str(), nullptr, 10) : 0;
}

struct AskingThreads {
  std::mutex mutex;
  std::map<unsigned long, Ticks> begun;  ///< [thread identifier of the interpreter]
};

AskingThreads& asking_threads() {
  static AskingThreads threads;
  return threads;
}

}  // namespace

PolicyCall::PolicyCall() {
  if (depth++ > 0) return;
  const std::lock_guard lock(asking_threads().mutex);
  asking_threads().begun[PyThread_get_thread_ident()] = now();
}

PolicyCall::~PolicyCall() {
  if (--depth > 0) return;
  const std::lock_guard lock(asking_threads().mutex);
  asking_threads().begun.erase(PyThread_get_thread_ident());
}

bool PolicyCall::is_going_on() {
  return depth > 0;
}

bool PolicyCall::has_begun_this_thread() {
  const Ticks mine = begin_of_this_thread();
  const std::lock_guard lock(asking_threads().mutex);
  return std::ranges::any_of(asking_threads().begun,
                             [mine](const auto& one) { return one.second <= mine; });
}

void PolicyCall::interrupt() {
  const std::lock_guard lock(asking_threads().mutex);
  for (const auto& one : asking_threads().begun)
    PyThreadState_SetAsyncExc(one.first, PyExc_KeyboardInterrupt);
}

}  // namespace toroid::python
