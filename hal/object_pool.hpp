// Numbered objects whose places are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace toroid {

/// Objects that others know by their numbers, counted from 0. An object never moves and is not
/// destroyed when its place is given back: the next user of the place finds it as it was left.
template <typename T>
class ObjectPool {
 public:
  /// Takes a place that is not in use and returns its number.
  std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(places_.size()));
      places_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  /// REQUIRES: the place was taken.
  void give_back(std::uint32_t number) { free_.push_back(number); }

  T& operator[](std::size_t number) { return places_[number]; }
  const T& operator[](std::size_t number) const { return places_[number]; }
  std::size_t size() const { return places_.size(); }
  bool is_in_use() const { return free_.size() < places_.size(); }
  auto begin() { return places_.begin(); }
  auto end() { return places_.end(); }

 private:
  std::deque<T> places_;             ///< [number]
  std::vector<std::uint32_t> free_;  ///< numbers of places not in use
};

}  // namespace toroid
