// Policies as data: accepted and refused files, and the effect of every setting and table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "tests/tools/policies/policy_run.hpp"
#include "tests/tools/python.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"
#include "tools/options/policy_file.hpp"
#include "tools/options/policy_tables.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using Cells = std::vector<std::int64_t>;

/// Content of a .npy file of int64.
std::string table_of(const std::vector<std::size_t>& shape, const Cells& cells) {
  std::ostringstream out;
  write_npy(out, shape, cells);
  return out.str();
}

/// A table of `nodes` x `columns`.
Cells filled(std::size_t nodes, std::size_t columns,
             const std::function<std::size_t(std::size_t, std::size_t)>& cell) {
  Cells cells;
  for (std::size_t row = 0; row < nodes; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      cells.push_back(static_cast<std::int64_t>(cell(row, column)));
  return cells;
}

/// Every node visits its peers from the highest rank down.
Cells reversed_order(std::size_t nodes) {
  return filled(nodes, nodes - 1, [nodes](std::size_t self, std::size_t visit) {
    const std::size_t to = nodes - 1 - visit;
    return to > self ? to : to - 1;
  });
}

std::string refusal_of(const TemporaryDirectory& at, std::string_view file) {
  try {
    (void)policy_from_data(at / file);
  } catch (const BadInput& error) {
    std::string text = error.what();
    const std::string folder = at / "";
    for (std::size_t i = text.find(folder); i != std::string::npos; i = text.find(folder))
      text.erase(i, folder.size());
    return text;
  }
  return "";
}

std::string on_4x4(const std::string& base, const std::string& tables) {
  return "policy = \"" + base + "\"\n[tables]\ntorus = \"4x4\"\n" + tables;
}

class PolicyFile : public ::testing::Test {
 protected:
  const TemporaryDirectory at;
};

struct Refused {
  std::string text;
  std::string message;
};

TEST_F(PolicyFile, RefusalNamesTheLineAndTheExpectation) {
  const std::vector<Refused> all = {
      {"policy = \"random\"\ndrian = \"first-fit\"",
       "a.toml:2: unknown key 'drian'; did you mean 'drain'?"},
      {"name = \"a\"", "a.toml: expected the built-in policy to start from"},
      {"policy = 3", "a.toml:1: policy must be a text"},
      {"policy = \"brick\"", "a.toml:1: unknown policy 'brick'"},
      {"policy = \"bruck:1\"", "a.toml:1: policy 'bruck:1': '1' is not a whole number from 2"},
      {"policy = \"random\"\ndrain = \"first\"", "a.toml:2: unknown drain 'first'"},
      {"policy = \"random\"\nname = \"a b\"", "a.toml:2: name may contain only letters, digits"},
      {"policy = \"random\"\noutput_queues = 0",
       "a.toml:2: output_queues must be a whole number from 1 to 32767"},
      {"policy = \"random\"\npackets_per_visit = 1.5", "packets_per_visit must be a whole number"},
      {"policy = \"random\"\nqueue_per_direction = 1", "queue_per_direction must be true or false"},
      {"policy = \"random\"\nqueue_per_direction = true\noutput_queues = 2",
       "a.toml:3: queue_per_direction replaces output_queues"},
      {"policy = \"random\"\ncycles_per_packet = -1.0",
       "a.toml:2: cycles_per_packet must be a number of cycles from 0 to 281474976710656"},
      {"policy = \"random\"\ncycles_per_packet = 1e300", "cycles from 0 to 281474976710656"},
      {"policy = \"random\"\ncycles_per_packet = nan",
       "must be a number of cycles from 0 to 281474976710656"},
      {"policy = \"random\"\nwindow = \"16\"", "window must be a whole number from 0"},
      {"policy = \"random\"\ntables = 1", "a.toml:2: tables must be a table"},
      {"policy = \"random\"\ntables = []",
       "a.toml:2: tables must be a table, [tables], or several, [[tables]]"},
      {"policy = \"random\"\n[[tables]]\ntorus = \"4x4\"\n[[tables]]\nordre = \"a.npy\"",
       "a.toml:5: unknown key of [tables] 'ordre'"},
      {"policy = \"random\"\n[[tables]]\ntorus = \"4x4\"\n[[tables]]\norder = \"a.npy\"",
       "a.toml:4: [tables] lacks torus"},
      {"policy = \"random\"\n[[tables]]\ntorus = \"4x4\"\n[[tables]]\ntorus = \"4y4\"",
       "a.toml:5: "},
      {"policy = \"random\"\n[[tables]]\ntorus = \"4x4\"\n[[tables]]\ntorus = \"4x4\"",
       "a.toml:5: torus 4x4 has tables already; expected each torus once"},
      {"policy = \"bruck\"\n[[tables]]\ntorus = \"4\"\n[[tables]]\ntorus = \"4x4\"\nrelays = "
       "\"a.npy\"",
       "a.toml:6: policy bruck:2 combines messages: it cannot have relays"},
      {"policy = \"random\"\n[tables]\nordre = \"a.npy\"",
       "a.toml:3: unknown key of [tables] 'ordre'"},
      {"policy = \"random\"\n[tables]\norder = \"a.npy\"", "a.toml:2: [tables] lacks torus"},
      {"policy = \"random\"\n[tables]\ntorus = \"4y4\"", "a.toml:3: "},
      {"policy = \"random\"\norder = \"rank\"\n[tables]\ntorus = \"4x4\"\norder = \"a.npy\"",
       "a.toml:2: order replaces the table of that name"},
      {"policy = \"bruck\"\n[tables]\ntorus = \"4x4\"\nrelays = \"a.npy\"",
       "a.toml:4: policy bruck:2 combines messages: it cannot have relays"},
      {"policy = \"bruck\"\n[tables]\ntorus = \"4x4\"\nrelease = \"a.npy\"",
       "it cannot have release"},
      {"policy = \"random\"\n[tables]\ntorus = \"4x4\"\norder = \"none.npy\"",
       "none.npy: cannot be read"},
      {"policy.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1",
       "a.toml:1: expected a key of at most 16 parts"},
      {"policy = ", "a.toml:1: "}};
  for (const Refused& refused : all) {
    at.save("a.toml", refused.text);
    EXPECT_THAT(refusal_of(at, "a.toml"), HasSubstr(refused.message)) << refused.text;
  }
  EXPECT_THAT(refusal_of(at, "no.toml"), HasSubstr("cannot be read: No such file or directory"));
}

/// Refusal of a policy with this table on torus 4x4.
std::string refusal_of_table(const TemporaryDirectory& at, const std::string& key,
                             const std::string& bytes) {
  at.save("t.npy", bytes);
  at.save("t.toml", on_4x4("random", key + " = \"t.npy\"\n"));
  return refusal_of(at, "t.toml");
}

TEST_F(PolicyFile, NamesTheRowWithANodeTwice) {
  Cells order = reversed_order(16);
  order[3 * 15 + 4] = order[3 * 15 + 1];
  EXPECT_EQ(refusal_of_table(at, "order", table_of({16, 15}, order)),
            "t.npy, row 3: node 14 twice; expected each of the other 15 nodes once");
}

TEST_F(PolicyFile, NamesTheRowThatVisitsItsOwnNodeOrAMissingNode) {
  Cells order = reversed_order(16);
  order[3 * 15 + 4] = 3;
  EXPECT_EQ(refusal_of_table(at, "order", table_of({16, 15}, order)),
            "t.npy, row 3: node 3 itself at visit 4; expected each of the other 15 nodes once");
  order[3 * 15 + 4] = 16;
  EXPECT_EQ(refusal_of_table(at, "order", table_of({16, 15}, order)),
            "t.npy, row 3: node 16 at visit 4; expected nodes from 0 to 15");
  order[3 * 15 + 4] = -1;
  EXPECT_EQ(refusal_of_table(at, "order", table_of({16, 15}, order)),
            "t.npy, row 3: node -1 at visit 4; expected nodes from 0 to 15");
}

TEST_F(PolicyFile, NamesTheExpectedShapeOfATable) {
  EXPECT_EQ(refusal_of_table(at, "order", table_of({2, 2}, Cells(4, 1))),
            "t.npy: 2 x 2; expected 16 x 15 nodes (nodes x peers), 15 offsets of ranks, or 15 x 2 "
            "offsets of coordinates for torus 4x4");
  EXPECT_EQ(refusal_of_table(at, "relays", table_of({16}, Cells(16, 1))),
            "t.npy: 16 numbers in a row; expected 16 x 16 relays (sources x destinations) for "
            "torus 4x4");
  EXPECT_EQ(refusal_of_table(at, "release", table_of({}, Cells(1, 1))),
            "t.npy: a single number; expected 16 x 16 cycles (sources x destinations) for torus "
            "4x4");
}

TEST_F(PolicyFile, NamesAnOffsetToAVisitedNode) {
  Cells offsets = filled(1, 15, [](std::size_t, std::size_t visit) { return visit + 1; });
  offsets[7] = 3 - 16;
  EXPECT_EQ(refusal_of_table(at, "order", table_of({15}, offsets)),
            "t.npy, entry 7: leads to the same node as an earlier entry; expected each of the "
            "other 15 nodes once");
  offsets[7] = 32;
  EXPECT_EQ(refusal_of_table(at, "order", table_of({15}, offsets)),
            "t.npy, entry 7: leads to the node itself; expected each of the other 15 nodes once");
}

TEST_F(PolicyFile, NamesTheRowOfARelayOrACycleOutOfRange) {
  Cells cells(256, 0);
  cells[5 * 16 + 9] = 16;
  EXPECT_EQ(refusal_of_table(at, "relays", table_of({16, 16}, cells)),
            "t.npy, row 5: relay 16 to node 9; expected nodes from 0 to 15");
  cells[5 * 16 + 9] = -7;
  EXPECT_THAT(refusal_of_table(at, "release", table_of({16, 16}, cells)),
              HasSubstr("t.npy, row 5: cycle -7 to node 9; expected cycles from 0 to "));
}

TEST_F(PolicyFile, TakesTablesOfIntegersOnly) {
  std::string bytes = table_of({16, 15}, reversed_order(16));
  bytes.replace(bytes.find("<i8"), 3, "<f8");
  EXPECT_EQ(refusal_of_table(at, "order", bytes),
            "t.npy: elements of type '<f8'; expected integers, e.g. '<i4' or '<i8'");
  EXPECT_THAT(refusal_of_table(at, "order", table_of({16, 15}, reversed_order(16)) + "x"),
              HasSubstr("trailing bytes"));
}

/// The peers of `self` in the order of its visits.
std::vector<Rank> visits(const Policy& policy, const Shape& shape, Rank self) {
  std::vector<Rank> peers;
  for (const Rank to : policy.order({shape, self, 1, 0, self})) peers.push_back(to);
  return peers;
}

TEST_F(PolicyFile, FollowsTablesInCAndFortranOrder) {
  const Shape shape = Shape::parse("4x4");
  const Cells order = reversed_order(16);
  at.save("c.npy", table_of({16, 15}, order));
  Cells turned;
  for (std::size_t visit = 0; visit < 15; ++visit)
    for (std::size_t self = 0; self < 16; ++self) turned.push_back(order[self * 15 + visit]);
  std::string fortran = table_of({16, 15}, turned);
  fortran.replace(fortran.find("False"), 5, "True ");
  at.save("f.npy", fortran);
  for (const char* file : {"c", "f"}) {
    at.save("o.toml", on_4x4("random", std::string("order = \"") + file + ".npy\"\n"));
    const Policy& policy = policy_from_data(at / "o.toml");
    EXPECT_EQ(policy.name(), "o");
    for (Rank self = 0; self < 16; ++self) {
      std::vector<Rank> expected;
      for (Rank to = 16; to-- > 0;)
        if (to != self) expected.push_back(to);
      EXPECT_EQ(visits(policy, shape, self), expected) << file << self;
    }
  }
}

TEST_F(PolicyFile, RankOffsetsMatchShift) {
  const Shape shape = Shape::parse("4x4");
  at.save("t.npy", table_of({15}, filled(1, 15, [](auto, auto visit) { return visit + 1; })));
  at.save("t.toml", on_4x4("random", "order = \"t.npy\"\n"));
  for (Rank self = 0; self < 16; ++self)
    EXPECT_EQ(visits(policy_from_data(at / "t.toml"), shape, self),
              visits(policy_by_name("shift"), shape, self));
}

TEST_F(PolicyFile, CoordinateOffsetsAreAddedInEachDimension) {
  const Shape shape = Shape::parse("2x3");
  at.save("t.npy", table_of({5, 2}, {-1, -1, 0, 2, 0, 1, 1, 0, 1, 1}));
  at.save("t.toml", "policy = \"random\"\n[tables]\ntorus = \"2x3\"\norder = \"t.npy\"\n");
  // Node 4 is (1,1); the offsets lead to (0,0), (1,0), (1,2), (0,1), (0,2).
  EXPECT_EQ(visits(policy_from_data(at / "t.toml"), shape, 4), (std::vector<Rank>{0, 3, 5, 1, 2}));
}

TEST_F(PolicyFile, RankTableRunsLikeTheRankRule) {
  at.save("t.npy", table_of({16, 15}, filled(16, 15, [](std::size_t self, std::size_t visit) {
                              return visit < self ? visit : visit + 1;
                            })));
  at.save("rank.toml", on_4x4("random", "order = \"t.npy\"\n"));
  at.save("back.npy", table_of({16, 15}, reversed_order(16)));
  at.save("back.toml", on_4x4("random", "order = \"back.npy\"\n"));
  const json built_in = all_to_all(at, "rank");
  const json table = all_to_all(at, "rank.toml");
  EXPECT_EQ(table["policy"], "rank");
  EXPECT_EQ(table["result_hash"], built_in["result_hash"]);
  EXPECT_NE(all_to_all(at, "back.toml")["result_hash"], built_in["result_hash"]);
}

TEST_F(PolicyFile, NothingLeavesBeforeItsRelease) {
  constexpr std::int64_t kRelease = 50'000;
  Cells release(256, 0);
  release[15] = kRelease;  // the last message of node 0
  at.save("t.npy", table_of({16, 16}, release));
  at.save("t.toml", on_4x4("rank", "release = \"t.npy\"\n"));
  const auto without = all_to_all(at, "rank")["cycles"].get<std::int64_t>();
  const auto with = all_to_all(at, "t.toml")["cycles"].get<std::int64_t>();
  ASSERT_LT(without, kRelease);
  EXPECT_GT(with, kRelease);
  EXPECT_LT(with, kRelease + without);
}

TEST_F(PolicyFile, ReleaseOfTheFirstVisitHoldsBackLaterVisits) {
  Cells release(256, 0);
  for (std::size_t self = 1; self < 16; ++self) release[self * 16] = 40'000;
  at.save("t.npy", table_of({16, 16}, release));
  at.save("t.toml", on_4x4("rank", "release = \"t.npy\"\nqueue = 1\n"));
  EXPECT_THAT(refusal_of(at, "t.toml"), HasSubstr("unknown key of [tables] 'queue'"));
  at.save("t.toml", on_4x4("rank", "release = \"t.npy\"\n"));
  const auto stalled = all_to_all(at, "t.toml")["cycles"].get<std::int64_t>();
  EXPECT_GT(stalled, 40'000);
}

TEST_F(PolicyFile, ReleasesCombineWithThrottleAndWindow) {
  constexpr std::int64_t kRelease = 30'000;
  const auto delay = [&](std::size_t nodes, const std::string& settings) {
    const std::string torus = std::to_string(nodes);
    at.save("t.npy", table_of({nodes, nodes}, Cells(nodes * nodes, kRelease)));
    const auto cycles = [&](const std::string& tables) {
      at.save("t.toml", "policy = \"rank\"\n" + settings + tables);
      return all_to_all(at, "t.toml", torus)["cycles"].get<std::int64_t>();
    };
    return cycles("[tables]\ntorus = \"" + torus + "\"\nrelease = \"t.npy\"\n") - cycles("");
  };
  EXPECT_EQ(delay(3, ""), kRelease);
  // Packets that arrive in the same cycle are acknowledged in an order that depends on the cycle.
  // With two nodes there are none.
  EXPECT_EQ(delay(2, "window = 1\n"), kRelease);
  // The throttle's first interval of 700 cycles passes during the wait for the release.
  EXPECT_EQ(delay(3, "cycles_per_packet = 700\n"), kRelease - 700);
}

TEST_F(PolicyFile, ReleasesAreRefusedOnShm) {
  at.save("t.npy", table_of({16, 16}, Cells(256, 5)));
  at.save("t.toml", on_4x4("rank", "release = \"t.npy\"\n"));
  expect_refusal(at, {"alltoall", "--torus", "4x4", "--policy", "t.toml", "--fabric", "shm"},
                 {"policy t: its release times have no effect on alltoall with --fabric shm"});
}

TEST_F(PolicyFile, ReleasesAreRefusedInOrbitalTransforms) {
  at.save("t.npy", table_of({8, 8}, Cells(64, 5)));
  at.save("t.toml", "policy = \"random\"\n[tables]\ntorus = \"2x2x2\"\nrelease = \"t.npy\"\n");
  const std::string refusal = "policy t: its release times have no effect on ";
  expect_refusal(
      at, {"fft", "--size", "8", "--torus", "2x2x2", "--method", "orbital", "--policy", "t.toml"},
      {refusal + "fft --method orbital"});
  expect_refusal(
      at, {"compare", "--workload", "fft:8:orbital", "--torus", "2x2x2", "--policies", "t.toml"},
      {refusal});
}

TEST_F(PolicyFile, WithoutChangesRunsLikeTheBuiltInPolicy) {
  at.save("same.toml", "policy = \"random\"\n");
  json mine =
      json_of({"alltoall", "--torus", "4x4", "--policy", "same.toml"}, {.directory = at.path()});
  const json built_in = json_of({"alltoall", "--torus", "4x4"}, {.directory = at.path()});
  EXPECT_EQ(mine["policy"], "same");
  EXPECT_EQ(mine["cycles"], built_in["cycles"]);
  EXPECT_EQ(mine["links"], built_in["links"]);
}

TEST_F(PolicyFile, NeedsANameThatTablesCanShow) {
  at.save("two words.toml", "policy = \"random\"\n");
  expect_refusal(
      at, {"alltoall", "--torus", "4x4", "--policy", "two words.toml"},
      {"two words.toml: without a key 'name' the file's name is used", "letters, digits"});
}

TEST_F(PolicyFile, PacketsGoViaTheRelaysOfTheTable) {
  Cells relays = filled(16, 16, [](std::size_t from, std::size_t) { return from; });
  at.save("t.npy", table_of({16, 16}, relays));
  at.save("t.toml", on_4x4("rank", "relays = \"t.npy\"\n"));
  EXPECT_EQ(all_to_all(at, "t.toml")["forwarded"], 0);
  relays[0 * 16 + 15] = 5;
  relays[7 * 16 + 2] = 2;  // the destination itself: no relay
  at.save("t.npy", table_of({16, 16}, relays));
  EXPECT_EQ(all_to_all(at, "t.toml")["forwarded"], 2);  // 300 bytes are two packets
}

TEST_F(PolicyFile, TablesAreRefusedOnAnotherTorus) {
  at.save("t.npy", table_of({16, 15}, reversed_order(16)));
  at.save("t.toml", on_4x4("random", "order = \"t.npy\"\n"));
  expect_refusal(at, {"alltoall", "--torus", "2x8", "--policy", "t.toml"},
                 {"policy t: the tables of t.toml are for torus 4x4; this exchange is on 2x8"});
  expect_refusal(at, {"alltoall", "--torus", "4x4", "--mesh", "--policy", "t.toml"},
                 {"for torus 4x4; this exchange is on 4mx4m"});
  expect_refusal(
      at,
      Arguments{"fft", "--torus", "4x4", "--size", "16x16x16", "--policy", "t.toml"} + kEstimate,
      {"policy t: the tables of t.toml are for torus 4x4"});
}

/// A file with tables for 4x4 (visits from the highest rank down, every packet to node 0 by way of
/// node 5), for 2x3 (ranks self+1, self+2, ...; nothing leaves before cycle 70) and for 3 (none).
void save_tables_for_three_shapes(const TemporaryDirectory& at) {
  at.save("back.npy", table_of({16, 15}, reversed_order(16)));
  at.save("via.npy", table_of({16, 16}, filled(16, 16, [](std::size_t from, std::size_t to) {
                                return to == 0 ? 5 : from;
                              })));
  at.save("shift.npy", table_of({5}, {1, 2, 3, 4, 5}));
  at.save("late.npy", table_of({6, 6}, Cells(36, 70)));
  at.save("t.toml",
          "policy = \"rank\"\n"
          "[[tables]]\ntorus = \"4x4\"\norder = \"back.npy\"\nrelays = \"via.npy\"\n"
          "[[tables]]\ntorus = \"2x3\"\norder = \"shift.npy\"\nrelease = \"late.npy\"\n"
          "[[tables]]\ntorus = \"3\"\n");
}

TEST_F(PolicyFile, UsesTheTablesForTheShapeOfTheExchange) {
  save_tables_for_three_shapes(at);
  const Policy& policy = policy_from_data(at / "t.toml");
  const Shape square = Shape::parse("4x4"), uneven = Shape::parse("2x3"), line = Shape::parse("3");
  EXPECT_EQ(visits(policy, square, 0).front(), 15);
  EXPECT_EQ(visits(policy, uneven, 4), (std::vector<Rank>{5, 0, 1, 2, 3}));
  EXPECT_EQ(visits(policy, line, 1), (std::vector<Rank>{0, 2}));
  EXPECT_EQ(policy.stages(square), 2);
  EXPECT_EQ(policy.relay(square, {0, 7, 7, 0, 0}), 5);
  EXPECT_EQ(policy.stages(uneven), 1);
  EXPECT_EQ(policy.stages(line), 1);
  EXPECT_FALSE(policy.keeps_to_shortest_ways(square));
  EXPECT_TRUE(policy.keeps_to_shortest_ways(uneven));
  EXPECT_TRUE(policy.has_releases());
  EXPECT_EQ(policy.release(square, 1, 2), 0);
  EXPECT_EQ(policy.release(uneven, 1, 2), 70);
}

TEST_F(PolicyFile, NamesTheShapeOfReleasesThatAreRefusedOnShm) {
  save_tables_for_three_shapes(at);
  expect_refusal(at, {"alltoall", "--torus", "4x4", "--policy", "t.toml", "--fabric", "shm"},
                 {"policy t: its release times for torus 2x3 have no effect on alltoall with"});
}

TEST_F(PolicyFile, NamesAllItsShapesToAShapeWithoutTables) {
  save_tables_for_three_shapes(at);
  const Policy& policy = policy_from_data(at / "t.toml");
  for (const char* torus : {"4x2", "4x4m", "3x1", "4x4@YX2"}) try {
      (void)policy.stages(Shape::parse(torus));
      ADD_FAILURE() << torus;
    } catch (const BadInput& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("t.toml are for tori 4x4, 2x3, 3; ") +
                                          "this exchange is on " + torus));
    }
  EXPECT_EQ(policy.stages(Shape::parse("1x1")), 1);  // a single node sends nothing
}

TEST_F(PolicyFile, NamesAllLinesAndPlanesWithoutTablesToOneOfThem) {
  at.save("t.toml",
          "policy = \"rank\"\n[[tables]]\ntorus = \"4x2x3m\"\n[[tables]]\ntorus = \"4x2x1\"\n");
  try {
    (void)policy_from_data(at / "t.toml").stages(Shape::parse("1x1x3m"));
    ADD_FAILURE();
  } catch (const BadInput& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("this exchange is on 1x1x3m; without tables are these lines and planes "
                          "of 4x2x3m: 1x1x3m, 1x2x1m, 1x2x3m, 4x1x1m (a transform needs some"));
  }
}

TEST_F(PolicyFile, TablesServeAnExtentOfOneWithAndWithoutWraparound) {
  at.save("shift.npy", table_of({3}, {3, 2, 1}));
  const std::string tables = "[[tables]]\ntorus = \"4mx1\"\norder = \"shift.npy\"\n";
  at.save("t.toml", "policy = \"rank\"\n" + tables);
  const Policy& policy = policy_from_data(at / "t.toml");
  for (const char* torus : {"4mx1", "4mx1m"})
    EXPECT_EQ(visits(policy, Shape::parse(torus), 0), (std::vector<Rank>{3, 2, 1})) << torus;
  EXPECT_THROW((void)policy.stages(Shape::parse("4x1")), BadInput);
  EXPECT_THROW((void)policy.stages(Shape::parse("1x4m")), BadInput);
  EXPECT_THROW((void)policy.stages(Shape::parse("4m")), BadInput);
  at.save("t.toml", "policy = \"rank\"\n" + tables + "[[tables]]\ntorus = \"4mx1m\"\n");
  EXPECT_THAT(refusal_of(at, "t.toml"), HasSubstr("torus 4mx1m has tables already"));
}

TEST(TableKeyOfAShape, DistinguishesExtentsMeshesAndTwists) {
  const auto key = [](const char* torus) { return TableKey(Shape::parse(torus)); };
  for (const char* torus : {"8x4m", "8mx4", "4x8", "8x4x1", "8x4@YX4", "8x4@YX2"})
    EXPECT_NE(key("8x4"), key(torus)) << torus;
  EXPECT_NE(key("8x4@YX4"), key("8x4@YX2"));
  EXPECT_EQ(key("8x1x4m"), key("8x1mx4m"));
  EXPECT_EQ(key("256x1"), key("256x1m"));
}

TEST_F(PolicyFile, TablesServeAShapeWithFailures) {
  save_tables_for_three_shapes(at);
  FailureList failed;
  failed.links = {"(0,0)X+"};
  const Shape shape = Shape::parse("4x4").with_failures(failed);
  EXPECT_EQ(visits(policy_from_data(at / "t.toml"), shape, 0).front(), 15);
}

TEST_F(PolicyFile, OrderChangesInRoundsUnlessAllShapesHaveATable) {
  save_tables_for_three_shapes(at);
  const std::string with_order = "[[tables]]\ntorus = \"4x4\"\norder = \"back.npy\"\n";
  const auto changes = [&](const std::string& tables) {
    at.save("r.toml", "policy = \"random-rounds\"\n" + tables);
    return policy_from_data(at / "r.toml").changes_order();
  };
  EXPECT_TRUE(changes(""));
  EXPECT_FALSE(changes(with_order));
  EXPECT_TRUE(changes(with_order + "[[tables]]\ntorus = \"3\"\n"));
}

TEST_F(PolicyFile, ChecksumCoversTheTablesOfAllShapes) {
  save_tables_for_three_shapes(at);
  const std::string before = policy_data_sum(at / "t.toml");
  at.save("shift.npy", table_of({5}, {5, 4, 3, 2, 1}));
  EXPECT_NE(policy_data_sum(at / "t.toml"), before);
}

TEST_F(PolicyFile, NamesTheShapesOfItsTablesWithoutReadingThem) {
  at.save("t.toml",
          "policy = \"rank\"\n[[tables]]\ntorus = \"4x4\"\norder = \"none.npy\"\n"
          "[[tables]]\ntorus = \"3m\"\n");
  EXPECT_EQ(shapes_of_policy_data(at / "t.toml"),
            (std::vector<Shape>{Shape::parse("4x4"), Shape::parse("3m")}));
  at.save("t.toml", "policy = \"rank\"\n");
  EXPECT_TRUE(shapes_of_policy_data(at / "t.toml").empty());
}

TEST_F(PolicyFile, TablesWorkOnShm) {
  at.save("t.npy", table_of({16, 15}, reversed_order(16)));
  Cells relays = filled(16, 16, [](std::size_t from, std::size_t to) { return (from + to) % 16; });
  at.save("r.npy", table_of({16, 16}, relays));
  at.save("t.toml", on_4x4("random", "order = \"t.npy\"\nrelays = \"r.npy\"\n"));
  for (const char* route : {"torus", "direct"})
    EXPECT_EQ(all_to_all(at, "t.toml", "4x4", kShm + Arguments{"--route", route})["policy"], "t");
}

/// Settings of a policy file with these lines, on 4x4x4 with 240 bytes.
PolicySettings settings_under(const TemporaryDirectory& at, const std::string& lines,
                              const std::string& base = "random") {
  at.save("s.toml", "policy = \"" + base + "\"\n" + lines);
  const Shape shape = Shape::parse("4x4x4");
  const auto traffic = make_traffic("all-to-all", shape, 240, 1);
  return policy_from_data(at / "s.toml").settings({shape, Machine(), *traffic});
}

TEST_F(PolicyFile, EverySettingTakesEffect) {
  EXPECT_EQ(settings_under(at, "order = \"shift\"").order, OrderRule::shift);
  EXPECT_EQ(settings_under(at, "packets_per_visit = 4").packets_per_visit, 4);
  EXPECT_EQ(settings_under(at, "output_queues = 3").output_queues, 3);
  EXPECT_EQ(settings_under(at, "queue_capacity = 5").queue_capacity, 5);
  EXPECT_EQ(settings_under(at, "drain = \"first-fit\"").drain, DrainRule::first_fit);
  EXPECT_EQ(settings_under(at, "tying = \"any\"").tying, FifoTying::any);
  EXPECT_EQ(settings_under(at, "routing = \"deterministic\"").routing, RoutingRule::deterministic);
  EXPECT_EQ(settings_under(at, "tie = \"plus\"").tie, TieRule::plus);
  EXPECT_EQ(settings_under(at, "window = 8").throttle.window, 8);
  EXPECT_EQ(settings_under(at, "cycles_per_packet = 12.5").throttle.cycles_per_packet, 12.5);
  EXPECT_EQ(settings_under(at, "cycles_per_packet = 12").throttle.cycles_per_packet, 12);
  EXPECT_TRUE(settings_under(at, "queue_per_direction = true").queue_per_direction);
  EXPECT_EQ(settings_under(at, "queue_per_direction = true", "queues:6").output_queues, 1);
}

TEST_F(PolicyFile, MissingSettingsComeFromTheBuiltInPolicy) {
  EXPECT_EQ(settings_under(at, "", "windowed:5").throttle.window, 5);
  EXPECT_EQ(settings_under(at, "window = 0", "windowed:5").throttle.window, 0);
  EXPECT_FALSE(settings_under(at, "queue_per_direction = false", "two-phase").queue_per_direction);
  EXPECT_EQ(settings_under(at, "", "two-phase").queue_capacity, 32);
}

TEST_F(PolicyFile, ChecksumCoversTables) {
  at.save("t.npy", table_of({16, 15}, reversed_order(16)));
  at.save("t.toml", on_4x4("random", "order = \"t.npy\"\n"));
  const std::string before = policy_data_sum(at / "t.toml");
  EXPECT_EQ(visits(policy_from_data(at / "t.toml"), Shape::parse("4x4"), 0).front(), 15);
  at.save("t.npy", table_of({15}, filled(1, 15, [](auto, auto visit) { return visit + 1; })));
  EXPECT_NE(policy_data_sum(at / "t.toml"), before);
  EXPECT_EQ(visits(policy_from_data(at / "t.toml"), Shape::parse("4x4"), 0).front(), 1);
}

TEST_F(PolicyFile, AppearsUnderItsNameInCompare) {
  at.save("t.npy", table_of({16, 15}, reversed_order(16)));
  at.save("t.toml", "name = \"backwards\"\n" + on_4x4("random", "order = \"t.npy\"\n"));
  const json rows = json_of(
      {"compare", "--torus", "4x4", "--bytes", "240", "--policies", "random,t.toml", "--quiet"},
      {.directory = at.path()});
  EXPECT_THAT(rows.dump(), HasSubstr("\"policy\":\"backwards\""));
}

TEST_F(PolicyFile, AppearsUnderItsPathIfItsNameIsTaken) {
  at.save("a.toml", "name = \"rank\"\npolicy = \"random\"\n");
  at.save("b.toml", "name = \"mine\"\npolicy = \"shift\"\n");
  at.save("c.toml", "name = \"mine\"\npolicy = \"farthest-first\"\n");
  const json all = json_of({"compare", "--torus", "4x4", "--bytes", "240", "--policies",
                            "rank,a.toml,b.toml,c.toml", "--quiet"},
                           {.directory = at.path()});
  std::vector<std::string> names;
  for (const json& row : all["rows"]) names.push_back(row["policy"]);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("rank", "a.toml", "b.toml", "c.toml"));
  const json alone =
      json_of({"compare", "--torus", "4x4", "--bytes", "240", "--policies", "a.toml", "--quiet"},
              {.directory = at.path()});
  EXPECT_EQ(alone["rows"][0]["policy"], "rank");
}

TEST_F(PolicyFile, ReadsATableThatNumpyWrote) {
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no numpy";
  ASSERT_TRUE(run_python(python, at, R"(
import numpy as np
nodes = 16
order = [[peer for peer in reversed(range(nodes)) if peer != self] for self in range(nodes)]
np.save('order.npy', np.array(order, dtype=np.int32))
open('numpy.toml', 'w').write('policy = "random"\n[tables]\ntorus = "4x4"\norder = "order.npy"\n')
)"));
  at.save("t.npy", table_of({16, 15}, reversed_order(16)));
  at.save("t.toml", on_4x4("random", "order = \"t.npy\"\n"));
  const Shape shape = Shape::parse("4x4");
  for (Rank self = 0; self < 16; ++self)
    EXPECT_EQ(visits(policy_from_data(at / "numpy.toml"), shape, self),
              visits(policy_from_data(at / "t.toml"), shape, self));
}

}  // namespace
}  // namespace toroid::testing
