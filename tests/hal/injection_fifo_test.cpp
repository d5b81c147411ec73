#include <gtest/gtest.h>

#include <vector>

#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

std::vector<unsigned> directions_of(const std::vector<InjectionFifo>& fifos) {
  std::vector<unsigned> bits;
  for (const auto& fifo : fifos) bits.push_back(fifo.directions.bits());
  return bits;
}

TEST(FifoTying, OneFifoPerDirectionServesExactlyIt) {
  const auto fifos = tie_fifos(Shape::parse("4x4x4"), 6, 32);
  EXPECT_EQ(directions_of(fifos), (std::vector<unsigned>{1, 2, 4, 8, 16, 32}));
  for (const auto& fifo : fifos) {
    EXPECT_EQ(fifo.capacity, 32u);
    EXPECT_EQ(fifo.used, 0u);
  }
}

TEST(FifoTying, FewerFifosThanLinksCarrySeveralDirectionsEach) {
  EXPECT_EQ(directions_of(tie_fifos(Shape::parse("4x4"), 2, 32)),
            (std::vector<unsigned>{0b0101, 0b1010}));
  EXPECT_EQ(directions_of(tie_fifos(Shape::parse("4x4"), 3, 32)),
            (std::vector<unsigned>{0b1001, 0b0010, 0b0100}));
  EXPECT_EQ(directions_of(tie_fifos(Shape::parse("4x4x4"), 3, 32)),
            (std::vector<unsigned>{0b001001, 0b010010, 0b100100}));
}

TEST(FifoTying, MoreFifosThanLinksShareTheDirections) {
  EXPECT_EQ(directions_of(tie_fifos(Shape::parse("4x4x4"), 8, 32)),
            (std::vector<unsigned>{1, 2, 4, 8, 16, 32, 1, 2}));
  const auto fifos = tie_fifos(Shape::parse("4x4x4"), 14, 32);
  for (unsigned f = 0; f < 14; ++f) EXPECT_EQ(fifos[f].directions.bits(), 1u << f % 6);
}

TEST(FifoTying, PerDimensionSharesBothDirections) {
  EXPECT_EQ(directions_of(tie_fifos(Shape::parse("4x4x4"), 6, 32, FifoTying::per_dimension)),
            (std::vector<unsigned>{3, 12, 48, 3, 12, 48}));
}

TEST(FifoTying, AnyTakesEveryPacket) {
  EXPECT_EQ(directions_of(tie_fifos(Shape::parse("4x4"), 3, 32, FifoTying::any)),
            (std::vector<unsigned>{15, 15, 15}));
}

TEST(FifoTying, EveryDirectionIsServedAndEveryFifoServesOne) {
  for (const char* text : {"4", "4x4", "4x4x4", "2x2x2x2", "2x2x2x2x2", "2x2x2x2x2x2"})
    for (unsigned count = 1; count <= 14; ++count)
      for (const auto tying :
           {FifoTying::per_direction, FifoTying::per_dimension, FifoTying::any}) {
        const Shape shape = Shape::parse(text);
        unsigned served = 0;
        for (const auto& fifo : tie_fifos(shape, count, 32, tying)) {
          EXPECT_FALSE(fifo.directions.empty()) << text << " with " << count;
          served |= fifo.directions.bits();
        }
        EXPECT_EQ(served, (1u << shape.links()) - 1) << text << " with " << count;
      }
}

TEST(InjectionFifo, HasRoomUpToItsCapacity) {
  InjectionFifo fifo{.directions = DirectionSet(1), .capacity = 32, .used = 24};
  EXPECT_TRUE(fifo.has_room(8));
  EXPECT_FALSE(fifo.has_room(9));
  fifo.used = 32;
  EXPECT_FALSE(fifo.has_room(1));
}

}  // namespace
}  // namespace toroid
