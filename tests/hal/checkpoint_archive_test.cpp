// Saved state is loaded as it was saved. Damaged state is refused.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "hal/check.hpp"
#include "hal/checkpoint_archive.hpp"
#include "tests/hal/memory_archive.hpp"

namespace toroid {
namespace {

using testing::LoadedState;
using testing::SavedState;

struct Inner {
  int number = 0;
  int* place = nullptr;
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(number);
    archive.pointer(place);
  }
};

struct Archived {
  bool flag = false;
  std::vector<std::uint16_t> plain;
  std::vector<std::vector<Inner>> nested;
  std::map<std::uint64_t, std::vector<int>> later;
  std::array<Inner, 2> both;
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(flag, plain, nested, later, both);
  }
};

TEST(Archive, LoadsSavedStateWithPointersToItsOwnObjects) {
  std::array<int, 2> there{}, here{};
  Archived saved{true,
                 {1, 2, 3},
                 {{}, {{7, &there[1]}, {8, nullptr}}},
                 {{5, {1}}, {6, {}}},
                 {Inner{1, &there[0]}, {}}};
  SavedState state;
  for (int& object : there) state.know(&object);
  state(saved);

  LoadedState loading(state.content());
  for (int& object : here) loading.know(&object);
  Archived loaded;
  loaded.plain = {9};
  loaded.later[1] = {};
  loading(loaded);
  EXPECT_EQ(loading.left(), 0u);
  EXPECT_TRUE(loaded.flag);
  EXPECT_EQ(loaded.plain, saved.plain);
  EXPECT_EQ(loaded.later, saved.later);
  ASSERT_EQ(loaded.nested.size(), 2u);
  EXPECT_EQ(loaded.nested[1][0].number, 7);
  EXPECT_EQ(loaded.nested[1][0].place, &here[1]);
  EXPECT_EQ(loaded.nested[1][1].place, nullptr);
  EXPECT_EQ(loaded.both[0].place, &here[0]);
}

TEST(Archive, RefusesATooLargeLengthBeforeAllocatingMemory) {
  SavedState state;
  std::uint64_t length = 3, two = 0;
  std::uint16_t half = 0;
  state(length, two, half);
  LoadedState counted(state.content());
  std::vector<std::uint32_t> values;
  EXPECT_THROW(counted(values), BadInput);
  EXPECT_TRUE(values.empty());
}

TEST(Archive, RefusesAWrongMarkAndAnImpossibleLength) {
  SavedState state;
  std::uint64_t length = 1000;
  state(length);
  LoadedState marked(state.content()), counted(state.content());
  std::vector<int> values;
  EXPECT_THROW(marked.mark(1), BadInput);
  EXPECT_THROW(counted(values), BadInput);
}

}  // namespace
}  // namespace toroid
