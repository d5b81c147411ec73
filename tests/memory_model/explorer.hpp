// Tries every execution of a few threads that C++'s memory model permits, one at a time, in one
// real thread.
//
// **Explored:** every choice of the thread that continues at an atomic operation, and every choice
// of the store that a load reads. A load may read a store unless its thread knows, directly or by
// acquiring, a later store of the same location. A release store carries the knowledge of its
// thread; an acquire load that reads it takes over that knowledge. A sequentially consistent load
// reads the last sequentially consistent store of its location or a later store. Executions that
// differ only in the order of independent operations are tried once (sleep sets: P. Godefroid,
// "Partial-Order Methods", 1996).
// **Not explored:** executions in which the stores of a location take effect in another order than
// they are executed, or in which a load reads a store that is executed later. Relacy and Loom leave
// these out too. There are no fences, no read-modify-write operations and no spurious wake-ups.
// Plain memory is checked only where a program reports its use (wrote(), read()). Source: J. Kang
// et al., "A promising semantics for relaxed-memory concurrency", POPL 2017, without promises.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <source_location>
#include <string>

namespace toroid::model {

inline constexpr unsigned kMostThreads = 3;

/// An operation in the source, such as "link.hpp:113 store".
using Site = std::string;

/// The state that the threads of one execution share. It is made anew for each execution.
class Scenario {
 public:
  virtual ~Scenario() = default;
  virtual unsigned threads() const { return 2; }
  /// The program of a thread. It calls fail() if it sees something that must not happen.
  virtual void run(unsigned thread) = 0;
};

struct Outcome {
  std::size_t executions = 0;
  bool complete = false;   ///< every execution has been tried, or one failed
  std::string failure;     ///< message of the first failed execution; empty if none failed
  std::set<Site> ordered;  ///< operations with an order stronger than relaxed
};

struct ExploreOptions {
  Site weakened;  ///< this operation counts as relaxed; empty if none does
  std::size_t most_executions = 2'000'000;
};

/// Makes scenarios with `make` and tries their executions until one fails.
Outcome explore(const std::function<std::unique_ptr<Scenario>()>& make,
                const ExploreOptions& options = {});

// Called by scenarios on their threads. Nothing on a thread's stack may own memory, since the stack
// is abandoned if an execution ends early.
/// Ends the execution as failed.
[[noreturn]] void fail(const char* why);
/// Reports that the plain memory of an object is written, or read. Fails unless all conflicting
/// uses by other threads have happened before.
void wrote(const void* object);
void read(const void* object);
// The parts of await().
void begin_await();
void wait_for_news();
void end_await();
/// Waits until `holds()`, which loads atomics, is true. Calls it again only after another thread
/// has stored something new in a location that it loaded.
template <typename Holds>
void await(const Holds& holds) {
  for (begin_await(); !holds(); begin_await()) wait_for_news();
  end_await();
}

// Called by atomics.hpp.
/// Creates the location of an atomic object, with its first value, unless it exists already.
/// Locations are identified by their addresses.
void begin_location(const void* location, std::uint64_t value);
void store(const void* location, std::uint64_t value, std::memory_order order,
           const std::source_location& where);
std::uint64_t load(const void* location, std::memory_order order,
                   const std::source_location& where);
void lock(const void* mutex);
void unlock(const void* mutex);
/// Unlocks the mutex, sleeps until notify_one() and locks the mutex again.
void sleep(const void* condition, const void* mutex);
void notify_one(const void* condition);

}  // namespace toroid::model
