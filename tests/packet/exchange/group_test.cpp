// Groups, compared with a search among all nodes for those with the same coordinates outside the
// group's dimensions.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"

namespace toroid {
namespace {

std::vector<Rank> brute_force(const Shape& shape, unsigned first, unsigned last, Rank self) {
  std::vector<Rank> members;
  for (Rank r = 0; r < shape.size(); ++r) {
    bool same = true;
    for (unsigned d = 0; d < shape.dims(); ++d)
      if (d < first || d >= last) same = same && shape.coord(r)[d] == shape.coord(self)[d];
    if (same) members.push_back(r);
  }
  return members;
}

void expect_members(const Shape& shape, unsigned first, unsigned last, Rank self) {
  const Group group(shape, first, last, self);
  const auto expected = brute_force(shape, first, last, self);
  ASSERT_EQ(group.size(), expected.size());
  EXPECT_EQ(group.size(), shape.slice(first, last).size());
  EXPECT_EQ(group.rank(group.self()), self);
  for (Rank m = 0; m < group.size(); ++m) {
    EXPECT_EQ(group.rank(m), expected[m]);
    EXPECT_EQ(group.member(expected[m]), m);
  }
}

TEST(Group, HoldsExactlyTheNodesThatShareTheOtherCoordinates) {
  for (const char* text : {"1", "7", "3x4", "2x3x4", "4x1x3m", "2x3x2x2", "2x3x1x2x2x3"}) {
    const Shape shape = Shape::parse(text);
    for (Rank self = 0; self < shape.size(); ++self)
      for (unsigned first = 0; first <= shape.dims(); ++first)
        for (unsigned last = first; last <= shape.dims(); ++last) {
          SCOPED_TRACE(std::string(text) + " " + shape.coord_text(self));
          expect_members(shape, first, last, self);
        }
  }
}

TEST(Group, WholeMachineNumbersMembersByRank) {
  const Shape shape = Shape::parse("3x4m");
  for (Rank self = 0; self < shape.size(); ++self) {
    const Group all = Group::all(shape, self);
    EXPECT_EQ(all.size(), shape.size());
    EXPECT_EQ(all.self(), self);
    for (Rank r = 0; r < shape.size(); ++r) EXPECT_EQ(all.rank(r), r);
  }
}

}  // namespace
}  // namespace toroid
