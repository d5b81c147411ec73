// The explorer's replacement for the atomics of router/threads/atomics.hpp, with the same names and
// calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <source_location>
#include <type_traits>

#include "tests/memory_model/explorer.hpp"

namespace toroid::sync {

template <typename T>
std::uint64_t word_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <typename T>
T value_of(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

template <typename T>
class atomic {
 public:
  using Where = std::source_location;
  static constexpr bool is_always_lock_free = true;

  atomic() : atomic(T{}) {}
  atomic(T value) { model::begin_location(this, word_of(value)); }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  void store(T value, std::memory_order order = std::memory_order_seq_cst,
             const Where& where = Where::current()) {
    model::store(this, word_of(value), order, where);
  }
  T load(std::memory_order order = std::memory_order_seq_cst,
         const Where& where = Where::current()) const {
    return value_of<T>(model::load(this, order, where));
  }
};

/// The object itself always holds the value of the latest store.
template <typename T>
class atomic_ref {
 public:
  using Where = std::source_location;

  explicit atomic_ref(T& value) : value_(&value) { model::begin_location(&value, word_of(value)); }

  void store(T value, std::memory_order order = std::memory_order_seq_cst,
             const Where& where = Where::current()) const {
    model::store(value_, word_of(value), order, where);
    *value_ = value;
  }
  T load(std::memory_order order = std::memory_order_seq_cst,
         const Where& where = Where::current()) const {
    return value_of<T>(model::load(value_, order, where));
  }

 private:
  T* value_;
};

class mutex {
 public:
  void lock() { model::lock(this); }
  void unlock() { model::unlock(this); }
};

class condition_variable {
 public:
  template <typename Predicate>
  void wait(std::unique_lock<mutex>& lock, const Predicate& holds) {
    while (!holds()) model::sleep(this, lock.mutex());
  }
  void notify_one() { model::notify_one(this); }
};

}  // namespace toroid::sync
