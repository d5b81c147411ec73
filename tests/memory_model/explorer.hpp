// Tries every execution of a few threads that C++'s memory model permits, one at a time, in one
// real thread.
//
// **What is explored:** at each atomic operation, which thread goes on; at each load, which of the
// stores it reads. A store is readable if neither the thread nor what it has acquired knows a later
// one of the same location. A release store carries what its thread knows, and an acquire load that
// reads it takes it over. A sequentially consistent load reads the last sequentially consistent
// store of its location or a later one. Executions that differ only in the order of independent
// operations are tried once (sleep sets: P. Godefroid, "Partial-Order Methods", 1996).
// **What is not:** the stores of a location take effect in the order in which they are executed,
// and no load reads a store that is executed later, as in Relacy and Loom; no fences, no operation
// that both reads and writes, no wake-up without a cause. Plain memory is checked where a program
// says that it uses it (wrote(), read()). Source: J. Kang et al., "A promising semantics for
// relaxed-memory concurrency", POPL 2017, without promises.
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

/// An operation in the source: "link.hpp:113 store".
using Site = std::string;

/// What the threads of one execution share; made anew for each.
class Scenario {
 public:
  virtual ~Scenario() = default;
  virtual unsigned threads() const { return 2; }
  /// The program of a thread. It calls fail() where it sees what must not be.
  virtual void run(unsigned thread) = 0;
};

struct Outcome {
  std::size_t executions = 0;
  bool complete = false;   ///< every execution has been tried, or one failed
  std::string failure;     ///< of the first that failed; empty: none
  std::set<Site> ordered;  ///< operations with an order stronger than relaxed
};

struct ExploreOptions {
  Site weakened;  ///< this operation counts as relaxed; empty: none
  std::size_t most_executions = 2'000'000;
};

/// Tries the executions of the scenarios that `make` makes until one fails.
Outcome explore(const std::function<std::unique_ptr<Scenario>()>& make,
                const ExploreOptions& options = {});

// For scenarios, on their threads, whose stacks are given up where an execution ends early: nothing
// on them may own memory.
/// Ends the execution: it has failed.
[[noreturn]] void fail(const char* why);
/// The plain memory of an object is written, or read: a failure unless everything that another
/// thread has done with it has happened before.
void wrote(const void* object);
void read(const void* object);
// The parts of await().
void begin_await();
void wait_for_news();
void end_await();
/// Waits until `holds()`, which loads atomics, holds: calls it again only after another thread has
/// stored something new in what it has loaded.
template <typename Holds>
void await(const Holds& holds) {
  for (begin_await(); !holds(); begin_await()) wait_for_news();
  end_await();
}

// For atomics.hpp.
/// The place of an atomic object, with its first value; nothing where it is known already.
/// Locations are known by their addresses.
void begin_location(const void* location, std::uint64_t value);
void store(const void* location, std::uint64_t value, std::memory_order order,
           const std::source_location& where);
std::uint64_t load(const void* location, std::memory_order order,
                   const std::source_location& where);
void lock(const void* mutex);
void unlock(const void* mutex);
/// Gives the mutex back, sleeps until notify_one() and locks it again.
void sleep(const void* condition, const void* mutex);
void notify_one(const void* condition);

}  // namespace toroid::model
