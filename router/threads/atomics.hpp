// The atomics for data that two threads share without a lock. A model check of their memory orders
// replaces them by its own (tests/memory_model).
#pragma once

#ifdef TOROID_ATOMICS
#include TOROID_ATOMICS  // IWYU pragma: export
#else

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace toroid::sync {

using std::atomic;
using std::atomic_ref;
using std::condition_variable;
using std::mutex;

}  // namespace toroid::sync

#endif
