// How often every worker has gone round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace toroid::ring {

class Epochs {
 public:
  /// `rounds` of each worker's loop so far. A lap ends when all have grown since it began.
  std::uint64_t count(const std::vector<std::uint64_t>& rounds) {
    if (begin_.size() != rounds.size()) begin_ = rounds;
    for (std::size_t w = 0; w < rounds.size(); ++w)
      if (rounds[w] == begin_[w]) return laps_;
    begin_ = rounds;
    return ++laps_;
  }

 private:
  std::vector<std::uint64_t> begin_;
  std::uint64_t laps_ = 0;
};

}  // namespace toroid::ring
