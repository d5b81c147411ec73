#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

TEST(Shape, ParsesExtentsInOrder) {
  const Shape shape = Shape::parse("8x4x16");
  ASSERT_EQ(shape.dims(), 3u);
  EXPECT_EQ(shape.links(), 6u);
  EXPECT_EQ(shape.extent(0), 8u);
  EXPECT_EQ(shape.extent(1), 4u);
  EXPECT_EQ(shape.extent(2), 16u);
  EXPECT_EQ(shape.size(), 512u);
  for (unsigned d = 0; d < 3; ++d) EXPECT_TRUE(shape.wraps(d));
}

TEST(Shape, AnExtentWithTheSuffixMIsAMesh) {
  const Shape shape = Shape::parse("8x4mx2");
  EXPECT_TRUE(shape.wraps(0));
  EXPECT_FALSE(shape.wraps(1));
  EXPECT_TRUE(shape.wraps(2));
  EXPECT_EQ(shape.extent(1), 4u);
}

TEST(Shape, TheMeshFlagMakesEveryDimensionAMesh) {
  EXPECT_EQ(Shape::parse("8x4x2", true), Shape::parse("8mx4mx2m"));
  EXPECT_NE(Shape::parse("8x4x2", true), Shape::parse("8x4x2"));
}

TEST(Shape, PrintsWhatItParses) {
  for (const char* text : {"1", "256", "7m", "8x8", "3x4mx5", "1x1x1", "2x3x4x5x6x7", "256x256x256",
                           "16x12x16x16x2", "2mx2mx2mx2mx2mx2m"})
    EXPECT_EQ(Shape::parse(text).text(), text);
}

TEST(Shape, RefusesInvalidTextsInOneLineThatQuotesThem) {
  for (const char* text : {"",
                           "0",
                           "257",
                           "x",
                           "8x",
                           "x8",
                           "8xx8",
                           "-1",
                           "+8",
                           "8y8",
                           "8x-1",
                           "8x0",
                           "8x257",
                           "8.5",
                           " 8",
                           "8 ",
                           "8X8",
                           "m",
                           "8mm",
                           "m8",
                           "8xm",
                           "0x8",
                           "1x1x1x1x1x1x1",
                           "99999999999999999999",
                           "256x256x257",
                           "256x256x256x2",
                           "16x16x16x16x16x17",
                           "0x10"}) {
    try {
      const Shape shape = Shape::parse(text);
      ADD_FAILURE() << "'" << text << "' was accepted as " << shape.text();
    } catch (const BadInput& refusal) {
      const std::string what = refusal.what();
      EXPECT_NE(what.find("'" + std::string(text) + "'"), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
  }
}

TEST(Shape, RefusalOfATextOfSeveralLinesIsOneLine) {
  try {
    (void)Shape::parse("8x8\n8x8");
    ADD_FAILURE();
  } catch (const BadInput& refusal) {
    EXPECT_EQ(std::string(refusal.what()).find('\n'), std::string::npos);
  }
}

TEST(Shape, AllowsTwoToThe24Nodes) {
  EXPECT_EQ(Shape::parse("256x256x256").size(), 1u << 24);
  EXPECT_EQ(Shape::parse("16x16x16x16x16x16").size(), 1u << 24);
}

TEST(Shape, NumbersNodesInCOrder) {
  const Shape shape = Shape::parse("3x4x5");
  Rank expected = 0;
  for (unsigned x = 0; x < 3; ++x)
    for (unsigned y = 0; y < 4; ++y)
      for (unsigned z = 0; z < 5; ++z, ++expected) {
        const Coord coord{{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y),
                           static_cast<std::uint8_t>(z)}};
        EXPECT_EQ(shape.rank(coord), expected);
        EXPECT_EQ(shape.coord(expected), coord);
      }
  EXPECT_EQ(shape.coord_text(59), "(2,3,4)");
  EXPECT_EQ(shape.coord_text(0), "(0,0,0)");
}

TEST(Shape, CoordinatesAndRanksAreInversesOfEachOther) {
  for (const char* text : {"1", "7", "256", "2x3x4", "256x2", "2x256", "3x2x2x2x2x2", "1x5x1"}) {
    const Shape shape = Shape::parse(text);
    for (Rank r = 0; r < shape.size(); ++r) {
      const Coord coord = shape.coord(r);
      EXPECT_EQ(shape.rank(coord), r) << text;
      for (unsigned d = 0; d < kMaxDims; ++d)
        EXPECT_LT(coord[d], d < shape.dims() ? shape.extent(d) : 1u) << text;
    }
  }
}

TEST(Shape, ASliceKeepsItsDimensionsAndSetsTheOthersToOne) {
  const Shape shape = Shape::parse("8x4mx2");
  EXPECT_EQ(shape.slice(0, 1).text(), "8x1mx1");
  EXPECT_EQ(shape.slice(1, 3).text(), "1x4mx2");
  EXPECT_EQ(shape.slice(1, 3).size(), 8u);
  EXPECT_EQ(shape.slice(0, 3), shape);
  EXPECT_EQ(shape.slice(1, 1).size(), 1u);
}

}  // namespace
}  // namespace toroid
