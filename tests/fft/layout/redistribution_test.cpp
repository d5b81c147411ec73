// The exchanges between the stages of every method, without the transforms. Every element's value
// is its index.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "fft/execute/pipelined_exchange.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/redistribution.hpp"
#include "fft/layout/redistribution_message.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/exchange_plan.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/policies/policies.hpp"
#include "tests/fft/layout/distributions.hpp"
#include "tests/fft/plan/plan_check.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/sim/sim_machine.hpp"

namespace toroid::fft {
namespace {

/// One node's two arrays and the exchange between them. An element consists of words of 4 bytes,
/// each of which holds the element's index.
struct PipelineSide {
  PipelineSide(Node& node, const testing::Passage& passage, const ExchangePlan& plan,
               const Pipeline& pipeline)
      : from(passage.from->layout(node.rank())),
        source(room(from, passage)),
        target(room(passage.to->layout(node.rank()), passage)),
        plan(policy_by_name("random"), node.shape(),
             node.shape().slice(passage.exchange.first, passage.exchange.last),
             {.packets_per_visit = 1}, {.payload = true, .places = true}),
        exchange(node, *passage.from, *passage.to, passage.element_bytes,
                 passage.exchange.group(node.shape(), node.rank()), plan, pipeline,
                 std::as_writable_bytes(std::span(target))),
        piece_bytes(pipeline.rule.planes * from.stride(pipeline.rule.axis) *
                    std::int64_t{passage.element_bytes}) {}
  static std::vector<std::uint32_t> room(const NodeLayout& layout, const testing::Passage& p) {
    return std::vector<std::uint32_t>(static_cast<std::size_t>(layout.extent()) *
                                      (p.element_bytes / 4));
  }
  const std::byte* piece(std::uint32_t number) const {
    return reinterpret_cast<const std::byte*>(source.data()) + number * piece_bytes;
  }
  NodeLayout from;
  std::vector<std::uint32_t> source;
  std::vector<std::uint32_t> target;
  ExchangePlan plan;
  PipelinedExchange exchange;
  std::int64_t piece_bytes;
};

/// Calls visit(words of an element, place in the array) for every element of a node's part.
template <typename Visit>
void for_each_word(const Distribution& distribution, Rank rank, std::uint32_t words,
                   std::vector<std::uint32_t>& array, Visit&& visit) {
  testing::for_each_element(distribution.extents, distribution.layout(rank),
                            [&](std::size_t place, std::size_t at) {
                              for (std::uint32_t w = 0; w < words; ++w)
                                visit(array[at * words + w], static_cast<std::uint32_t>(place));
                            });
}

Program send_pieces(Node&, PipelineSide* side) {
  PipelinedExchange& exchange = side->exchange;
  for (std::uint32_t piece = 0; piece < exchange.pieces(); ++piece) {
    if (piece >= exchange.window()) {
      const Exchange& oldest = exchange.piece(piece - exchange.window());
      co_await oldest.wait();
    }
    exchange.start(piece, side->piece(piece));
  }
  for (std::uint32_t piece = exchange.pieces() - exchange.window(); piece < exchange.pieces();
       ++piece) {
    const Exchange& last = exchange.piece(piece);
    co_await last.wait();
  }
}

void expect_passage(const Shape& shape, const testing::Passage& passage, const Pipeline& pipeline) {
  testing::SimMachine machine(shape);
  const Shape slice = shape.slice(passage.exchange.first, passage.exchange.last);
  const auto plan = testing::plan_for({}, shape, slice, {.places = true});
  std::deque<PipelineSide> sides;
  const std::uint32_t words = passage.element_bytes / 4;
  for (Rank r = 0; r < shape.size(); ++r) {
    PipelineSide& side = sides.emplace_back(machine.node(r), passage, *plan, pipeline);
    for_each_word(*passage.from, r, words, side.source,
                  [](std::uint32_t& word, std::uint32_t place) { word = place; });
  }
  machine.run([&](Node& node) { return send_pieces(node, &sides[node.rank()]); });
  ASSERT_TRUE(machine.finished());
  for (Rank r = 0; r < shape.size(); ++r)
    for_each_word(*passage.to, r, words, sides[r].target,
                  [](std::uint32_t& word, std::uint32_t place) { ASSERT_EQ(word, place); });
}

TEST(Redistribution, PutsEveryElementInItsPlaceForEveryMethod) {
  testing::for_each_blueprint([](const Blueprint& blueprint) {
    for (const auto& passage : testing::passages(blueprint))
      expect_passage(blueprint.shape(), passage, {});
  });
}

/// The number of planes per piece divides a node's number of planes, does not divide it, or exceeds
/// it. The parts of the nodes differ in size.
TEST(Redistribution, PutsEveryElementInItsPlaceIfSentInPieces) {
  for (const char* torus : {"2", "3", "2x2"})
    testing::for_each_blueprint_of({7, 6, 9}, Shape::parse(torus), [](const Blueprint& blueprint) {
      for (const auto& passage : testing::passages(blueprint)) {
        if (!passage.pieces_along) continue;
        for (const std::int64_t planes : {1, 2, 3, 5})
          for (const std::uint32_t window : {1u, 2u, 16u})
            expect_passage(blueprint.shape(), passage, {{*passage.pieces_along, planes}, window});
      }
    });
}

TEST(Redistribution, ExpectsThePacketsOfItsTransfers) {
  const Blueprint blueprint({.size = {12, 12, 12}, .method = Method::slab}, Shape::parse("2x3"));
  const auto passage = testing::passages(blueprint)[0];
  std::uint64_t packets = 0;
  for (Rank from = 0; from < 6; ++from)
    for (Rank to = 0; to < 6; ++to)
      if (from != to)
        packets += Transfer(passage.from->layout(from), passage.to->layout(to), 16).packets();
  std::uint64_t expected = 0;
  for (Rank r = 0; r < 6; ++r)
    expected += Redistribution(*passage.from, *passage.to, 16,
                               passage.exchange.group(blueprint.shape(), r), {})
                    .packets_expected(0);
  EXPECT_EQ(expected, packets);
}

/// A line of `points` points, all on one node.
Distribution line_on(Rank holder, std::int64_t points) {
  const Index line = extents_of(std::vector<std::int64_t>{points});
  return {line, [=](Rank node) {
            return node == holder ? NodeLayout::dense(Box::of(line)) : NodeLayout();
          }};
}

TEST(Redistribution, RefusesMessagesThatPacketsArgumentsCannotNumber) {
  const Shape shape = Shape::parse("16x16x16");
  const auto refusal_of_line = [&](std::int64_t points) {
    const Distribution from = line_on(0, points);
    const Distribution to = line_on(1, points);
    return testing::refusal([&] {
      const Redistribution line(from, to, 16, Group(shape, 0, 3, 0), {});
      const PieceMessages messages(line, 0, 1, {}, nullptr);
    });
  };
  EXPECT_EQ(refusal_of_line(15 << 19), "nothing was refused");
  EXPECT_EQ(refusal_of_line((15 << 19) + 1),
            "a message of 524289 packets; expected at most 524288 in an exchange among 4096 nodes");
  EXPECT_EQ(refusal_of_line((std::int64_t{1} << 31) + 1),
            "a node's local array has 2147483649 elements; at most 2147483648 can be exchanged");
}

}  // namespace
}  // namespace toroid::fft
