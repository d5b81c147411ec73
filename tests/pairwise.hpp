// Combinations of the values of several axes: policies, shapes, settings, machines.
//
//   landing set, Release        every pair of values of two axes occurs
//   landing set, sanitizers     every value occurs
//   thorough set                every combination
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "tests/scale.hpp"

namespace toroid::testing {

/// For each axis, the index of one of its values.
using Combination = std::vector<std::size_t>;
using Combinations = std::vector<Combination>;

/// All combinations, with the last axis running fastest. `sizes`: the number of values of each
/// axis.
inline Combinations every_combination(const Combination& sizes) {
  Combinations all{{}};
  for (const std::size_t size : sizes) {
    Combinations longer;
    for (const Combination& row : all)
      for (std::size_t value = 0; value < size; ++value) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

/// The pairs of values of two axes that no combination has had yet.
class OpenPairs {
 public:
  explicit OpenPairs(const Combination& sizes) {
    for (const std::size_t size : sizes) {
      first_.push_back(values_);
      values_ += size;
    }
    open_.assign(values_ * values_, false);
    for (std::size_t a = 0; a < sizes.size(); ++a)
      for (std::size_t b = a + 1; b < sizes.size(); ++b)
        for (const Combination& pair : every_combination({sizes[a], sizes[b]}))
          open_[place(a, pair[0], b, pair[1])] = true;
  }

  bool is_open(std::size_t a, std::size_t value_a, std::size_t b, std::size_t value_b) const {
    return a < b ? open_[place(a, value_a, b, value_b)] : open_[place(b, value_b, a, value_a)];
  }
  void close(const Combination& row) {
    for (std::size_t a = 0; a < row.size(); ++a)
      for (std::size_t b = a + 1; b < row.size(); ++b) open_[place(a, row[a], b, row[b])] = false;
  }

 private:
  std::size_t place(std::size_t a, std::size_t value_a, std::size_t b, std::size_t value_b) const {
    return (first_[a] + value_a) * values_ + first_[b] + value_b;
  }

  Combination first_;  ///< for each axis, the number of its first value, counted over all axes
  std::size_t values_ = 0;
  std::vector<bool> open_;
};

/// The combinations chosen so far, how often each value occurs in them, and the pairs that do not
/// occur.
class ChosenRows {
 public:
  explicit ChosenRows(const Combination& sizes) : open_(sizes) {
    for (const std::size_t size : sizes) uses_.emplace_back(size, 0);
  }
  const Combinations& rows() const { return rows_; }
  const OpenPairs& open() const { return open_; }
  std::size_t uses(std::size_t axis, std::size_t value) const { return uses_[axis][value]; }
  /// The number of open pairs that the value would close: its pairs with the values that the axes
  /// in `chosen` have in this row.
  std::size_t gain(std::size_t axis, std::size_t value, const Combination& row,
                   const std::vector<std::size_t>& chosen) const {
    const auto gains = [&](std::size_t other) {
      return open_.is_open(axis, value, other, row[other]);
    };
    return static_cast<std::size_t>(std::ranges::count_if(chosen, gains));
  }
  void add(const Combination& row) {
    for (std::size_t axis = 0; axis < row.size(); ++axis) ++uses_[axis][row[axis]];
    open_.close(row);
    rows_.push_back(row);
  }

 private:
  OpenPairs open_;
  std::vector<std::vector<std::size_t>> uses_;  ///< [axis][value]: number of rows that have it
  Combinations rows_;
};

/// As many combinations as the longest axis has values. In each combination, every axis takes one
/// of its least used values; among these, the one that makes the most new pairs with the values of
/// earlier axes. Of equally good values it takes the first one, counted from a start that moves on
/// by one whenever the axis has used all its values. So no axis runs in step with another axis, or
/// with the parity of another axis.
inline Combinations every_value(const Combination& sizes) {
  ChosenRows chosen(sizes);
  while (!sizes.empty() && chosen.rows().size() < *std::ranges::max_element(sizes)) {
    Combination row(sizes.size());
    std::vector<std::size_t> before;  // the axes whose values are chosen
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const auto cost = [&](std::size_t value) {
        return std::pair(chosen.uses(axis, value),
                         before.size() - chosen.gain(axis, value, row, before));
      };
      const std::size_t lap = chosen.rows().size() / sizes[axis];
      std::size_t best = lap % sizes[axis];
      for (std::size_t i = 1; i < sizes[axis]; ++i)
        if (const std::size_t value = (lap + i) % sizes[axis]; cost(value) < cost(best))
          best = value;
      row[axis] = best;
      before.push_back(axis);
    }
    chosen.add(row);
  }
  return chosen.rows();
}

/// A small set of combinations in which every pair of values of two axes occurs. Each combination
/// starts from an open pair; every other axis takes the value with the most open pairs to the axes
/// chosen so far, and of equally good values the least used one.
class PairwiseCover {
 public:
  explicit PairwiseCover(const Combination& sizes) : sizes_(sizes), chosen_(sizes) {
    for (std::size_t a = 0; a < sizes.size(); ++a)
      for (std::size_t b = a + 1; b < sizes.size(); ++b)
        for (const Combination& pair : every_combination({sizes[a], sizes[b]}))
          if (chosen_.open().is_open(a, pair[0], b, pair[1])) add_row(a, b, pair);
  }
  const Combinations& rows() const { return chosen_.rows(); }

 private:
  void add_row(std::size_t a, std::size_t b, const Combination& pair) {
    Combination row(sizes_.size());
    row[a] = pair[0];
    row[b] = pair[1];
    std::vector<std::size_t> before{a, b};
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
      if (axis == a || axis == b) continue;
      row[axis] = best(axis, row, before);
      before.push_back(axis);
    }
    chosen_.add(row);
  }
  std::size_t best(std::size_t axis, const Combination& row,
                   const std::vector<std::size_t>& before) const {
    std::size_t best = 0;
    for (std::size_t value = 1; value < sizes_[axis]; ++value) {
      const std::size_t gain = chosen_.gain(axis, value, row, before);
      const std::size_t most = chosen_.gain(axis, best, row, before);
      if (gain > most || (gain == most && chosen_.uses(axis, value) < chosen_.uses(axis, best)))
        best = value;
    }
    return best;
  }

  Combination sizes_;
  ChosenRows chosen_;
};

/// Combinations that contain every pair of values of two axes; for a single axis, all its values.
inline Combinations every_pair(const Combination& sizes) {
  return sizes.size() < 2 ? every_value(sizes) : PairwiseCover(sizes).rows();
}

/// The combinations for the present set of tests; see above.
inline Combinations combinations(const Combination& sizes) {
  if (is_thorough()) return every_combination(sizes);
  return kSanitized ? every_value(sizes) : every_pair(sizes);
}

}  // namespace toroid::testing
