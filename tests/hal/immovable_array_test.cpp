// Elements stay where they are constructed, unlike in a vector.
#include "hal/immovable_array.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace toroid {
namespace {

/// Cannot be copied or moved, knows where it was constructed, and counts the living objects of its
/// type.
class Resident {
 public:
  explicit Resident(int number) : self_(this), number_(number) {
    if (number < 0) throw std::invalid_argument("negative");
    ++alive;
  }
  Resident(const Resident&) = delete;
  ~Resident() { --alive; }

  bool is_at_home() const { return self_ == this; }
  int number() const { return number_; }

  static inline int alive = 0;

 private:
  const Resident* self_;
  int number_;
};

TEST(ImmovableArray, NeverMovesItsElements) {
  constexpr int kCount = 100'000;  // more than a large page
  ImmovableArray<Resident> residents(kCount);
  std::vector<const Resident*> places;
  for (int i = 0; i < kCount; ++i) places.push_back(&residents.emplace_back(i));
  ASSERT_EQ(residents.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(&residents[i], places[i]);
    ASSERT_TRUE(residents[i].is_at_home());
    ASSERT_EQ(residents[i].number(), static_cast<int>(i));
  }
  EXPECT_EQ(&residents.front(), places.front());
}

TEST(ImmovableArray, DestroysOnlyConstructedElements) {
  {
    ImmovableArray<Resident> residents(5);
    residents.emplace_back(1);
    residents.emplace_back(2);
    EXPECT_THROW(residents.emplace_back(-1), std::invalid_argument);
    EXPECT_EQ(residents.size(), 2u);
    EXPECT_EQ(Resident::alive, 2);
  }
  EXPECT_EQ(Resident::alive, 0);
}

TEST(ImmovableArray, IsEmptyAtCapacityZero) {
  const ImmovableArray<Resident> none(0);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
}

TEST(ImmovableArray, AlignsElementsToTheirCacheLines) {
  struct alignas(64) Line {
    std::array<std::byte, 65> bytes;
  };
  ImmovableArray<Line> lines(3);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&lines.emplace_back()) % alignof(Line), 0u);
}

TEST(ImmovableArray, IsARange) {
  ImmovableArray<int> numbers(4);
  for (int i = 1; i <= 4; ++i) numbers.emplace_back(i);
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0), 10);
}

TEST(PinnedArrayDeathTest, AbortsBeyondItsCapacity) {
  ImmovableArray<int> numbers(1);
  numbers.emplace_back(1);
  EXPECT_DEATH(numbers.emplace_back(2), "CHECK failed");
}

}  // namespace
}  // namespace toroid
