#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

std::vector<unsigned> directions_of(const std::vector<InjectionFifo>& fifos) {
  std::vector<unsigned> bits;
  for (const auto& fifo : fifos) bits.push_back(fifo.directions.bits());
  return bits;
}

TEST(FifoTying, GivesEachDirectionItsOwnFifo) {
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

TEST(FifoLinks, OfATableAreThoseOfEachFifo) {
  const FifoLinks table = FifoLinks::parse("X+Y-,X-,Y+Y-,any");
  EXPECT_EQ(directions_of(tie_fifos(Shape::parse("4x4"), 4, 32, table)),
            (std::vector<unsigned>{0b1001, 0b0010, 0b1100, 0b1111}));
  EXPECT_EQ(table.text(), "X+Y-,X-,Y+Y-,any");
  EXPECT_EQ(FifoLinks::parse(table.text()), table);
  EXPECT_EQ(FifoLinks(FifoTying::any).text(), "any");
  EXPECT_NE(FifoLinks(FifoTying::any), FifoLinks::parse("any"));
}

TEST(FifoLinks, RefuseTextsThatAreNoTable) {
  for (const char* text : {"", "X", "X*", "X+,", ",X+", "X+ X-", "S+", "x+", "all", "X+any"})
    EXPECT_THROW(FifoLinks::parse(text), BadInput) << text;
  EXPECT_NO_THROW(
      FifoLinks::parse("any,any,any,any,any,any,any,any,any,any,any,any,any,any,any,any"));
  EXPECT_THROW(
      FifoLinks::parse("any,any,any,any,any,any,any,any,any,any,any,any,any,any,any,any,any"),
      BadInput);
}

TEST(FifoLinks, RefuseMachinesThatTheyDoNotSuit) {
  const auto fault = [](const char* table, const char* shape, unsigned fifos) {
    return FifoLinks::parse(table).fault(Shape::parse(shape), fifos);
  };
  EXPECT_EQ(fault("X+X-,Y+Y-", "4x4", 2), "");
  EXPECT_EQ(fault("X+X-", "4x1", 1), "");
  EXPECT_EQ(fault("X+X-,any", "4x4", 3),
            "FIFO links X+X-,any are those of 2 injection FIFOs, but the machine has 3");
  EXPECT_EQ(fault("X+X-,Y+", "4x4", 2), "FIFO links X+X-,Y+: none of the FIFOs serves link Y-");
  EXPECT_EQ(fault("X+X-Z+,any", "4x4", 2), "FIFO links X+X-Z+,any: torus 4x4 has no link Z+");
  EXPECT_THROW(tie_fifos(Shape::parse("4x4"), 2, 32, FifoLinks::parse("X+,X-")), BadInput);
}

TEST(FifoTying, ServesEveryDirectionAndUsesEveryFifo) {
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

bool has_room(const InjectionFifo& fifo, unsigned chunks) {
  return fifo.used + chunks <= fifo.capacity;
}

/// The chunks in the least full FIFO that has room and serves one of the directions; none if there
/// is no such FIFO.
std::optional<unsigned> least_used(const std::vector<InjectionFifo>& fifos, DirectionSet possible,
                                   unsigned chunks) {
  std::optional<unsigned> least;
  for (const InjectionFifo& fifo : fifos)
    if (fifo.directions.meets(possible) && has_room(fifo, chunks))
      least = std::min(least.value_or(fifo.used), fifo.used);
  return least;
}

DirectionSet open_of(const std::vector<InjectionFifo>& fifos, unsigned chunks) {
  DirectionSet open;
  for (const InjectionFifo& fifo : fifos)
    if (has_room(fifo, chunks)) open.add(fifo.directions);
  return open;
}

TEST(InjectionFifos, MatchAPlainLoopForAnyNumberAndFillLevel) {
  Random random(7);
  for (unsigned step = 0; step < 20000; ++step) {
    std::vector<InjectionFifo> plain(1 + random.below(InjectionFifos::kMost));
    for (InjectionFifo& fifo : plain) {
      fifo.directions = DirectionSet(static_cast<std::uint16_t>(random.below(1u << kMaxLinks)));
      fifo.capacity = random.coin() ? InjectionFifos::kMostChunks : 8 + random.below(40);
      fifo.used = random.coin() ? fifo.capacity - random.below(9) : random.below(fifo.capacity);
    }
    const InjectionFifos fifos(plain);
    const DirectionSet possible(
        static_cast<std::uint16_t>(1 + random.below((1u << kMaxLinks) - 1)));
    const unsigned chunks = 1 + random.below(8);
    unsigned turn = random.below(InjectionFifos::kTurns);
    const unsigned chosen = fifos.least_full(possible, chunks, turn);
    const auto least = least_used(plain, possible, chunks);
    ASSERT_EQ(chosen != InjectionFifos::kNone, least.has_value());
    if (least) {
      ASSERT_TRUE(fifos.takes(chosen, possible, chunks));
      ASSERT_EQ(plain[chosen].used, *least);
    }
    ASSERT_EQ(fifos.open(chunks), open_of(plain, chunks));
  }
}

/// How often each FIFO is chosen in kTurns decisions between some that are equally full.
std::vector<unsigned> chosen_among(const std::vector<unsigned>& equals) {
  const Direction x{0};
  std::vector<InjectionFifo> plain(InjectionFifos::kMost, {.directions = {}, .capacity = 32});
  for (const unsigned f : equals) plain[f].directions.add(x);
  const InjectionFifos fifos(plain);
  std::vector<unsigned> chosen(InjectionFifos::kMost);
  unsigned turn = 0;
  for (unsigned n = 0; n < InjectionFifos::kTurns; ++n)
    ++chosen[fifos.least_full(plain[equals.front()].directions, 8, turn)];
  EXPECT_EQ(turn, 0u);
  return chosen;
}

TEST(InjectionFifos, OfTwoThatAreEquallyFullEachIsChosenInHalfOfTheTurns) {
  for (unsigned a = 0; a < InjectionFifos::kMost; ++a)
    for (unsigned b = 0; b < a; ++b)
      EXPECT_EQ(chosen_among({a, b})[a], InjectionFifos::kTurns / 2) << a << ' ' << b;
}

TEST(InjectionFifos, OfThreeOfEightThatAreEquallyFullEachIsChosenInAThirdOfTheTurns) {
  for (unsigned a = 0; a < 8; ++a)
    for (unsigned b = 0; b < a; ++b)
      for (unsigned c = 0; c < b; ++c)
        EXPECT_EQ(chosen_among({a, b, c})[a], InjectionFifos::kTurns / 3)
            << a << ' ' << b << ' ' << c;
}

TEST(InjectionFifos, TurnsGoOnOnlyWhenTheyDecide) {
  const InjectionFifos fifos(tie_fifos(Shape::parse("4x4x4"), 6, 32));
  unsigned turn = 5;
  for (const unsigned possible : {1u, 2u, 0u, 32u})
    fifos.least_full(DirectionSet(static_cast<std::uint16_t>(possible)), 8, turn);
  EXPECT_EQ(turn, 5u);
  fifos.least_full(DirectionSet(3), 8, turn);
  EXPECT_EQ(turn, 6u);
}

TEST(InjectionFifos, CountAddedAndReleasedChunks) {
  InjectionFifos fifos(tie_fifos(Shape::parse("4x4x4"), 14, InjectionFifos::kMostChunks));
  fifos.add(13, InjectionFifos::kMostChunks - 1);
  EXPECT_EQ(fifos.used(13), InjectionFifos::kMostChunks - 1);
  EXPECT_EQ(fifos.room(13), 1u);
  EXPECT_TRUE(fifos.takes(13, DirectionSet(2), 1));
  EXPECT_FALSE(fifos.takes(13, DirectionSet(2), 2));
  EXPECT_FALSE(fifos.takes(13, DirectionSet(1), 1));
  fifos.release(13, InjectionFifos::kMostChunks - 1);
  EXPECT_EQ(fifos[13].used, 0u);
  EXPECT_EQ(fifos[13].capacity, InjectionFifos::kMostChunks);
  EXPECT_EQ(fifos.serving(DirectionSet(2)), 3u);
}

}  // namespace
}  // namespace toroid
