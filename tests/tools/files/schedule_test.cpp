// Schedules as text: reading, writing, and refusals with line numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/replay/critical_path.hpp"
#include "packet/replay/schedule.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tools/files/goal_schedule.hpp"
#include "tools/files/schedule_file.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;
using Kind = Operation::Kind;

constexpr Rank kNodes = 4;

constexpr std::string_view kGoal = R"(// a comment
num_ranks 2

rank 0 {  /* another
             one */
l1: send 10b to 1 tag 5 cpu 0 nic 0
l2: recv 300b from 1
calc 7 cpu 1
l2 irequires l1
}
rank 1 {
  a_label: recv 10b from 0 tag 5
  Other2: send 300 b to 0
  Other2 requires a_label
}
)";

TEST(Goal, IsReadAccordingToItsGrammar) {
  const Schedule schedule = parse_goal(kGoal, "x.goal", kNodes);
  ASSERT_EQ(schedule.ranks.size(), 2u);
  const auto& operations = schedule.ranks[0].operations;
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_EQ(operations[0].kind, Kind::send);
  EXPECT_EQ(operations[0].amount, 10u);
  EXPECT_EQ(operations[0].peer, 1u);
  EXPECT_EQ(operations[0].tag, 5u);
  EXPECT_EQ(operations[0].line, 6u);
  EXPECT_EQ(operations[1].kind, Kind::receive);
  EXPECT_EQ(operations[1].tag, 0u);
  EXPECT_EQ(operations[2].kind, Kind::compute);
  EXPECT_EQ(operations[2].amount, 7u);
  ASSERT_EQ(schedule.ranks[0].dependencies.size(), 1u);
  EXPECT_TRUE(schedule.ranks[0].dependencies[0].on_start);
  EXPECT_EQ(schedule.ranks[0].dependencies[0].operation, 1u);
  EXPECT_EQ(schedule.ranks[0].dependencies[0].on, 0u);
  EXPECT_FALSE(schedule.ranks[1].dependencies[0].on_start);
}

TEST(Goal, WrittenAndReadAgainIsTheSame) {
  std::ostringstream once;
  write_goal(once, parse_goal(kGoal, "x.goal", kNodes));
  std::ostringstream twice;
  write_goal(twice, parse_goal(once.str(), "y.goal", kNodes));
  EXPECT_EQ(once.str(), twice.str());
  EXPECT_THAT(once.str(), HasSubstr("l1: recv 300b from 1 tag 0\n"));
}

/// Reads a schedule, makes all checks that precede a run, and returns the refusal or "accepted".
std::string refusal(const std::string& text, bool csv = false) {
  try {
    ScheduleGraph(csv ? parse_message_csv(text, "f", kNodes) : parse_goal(text, "f", kNodes));
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

/// Schedules of one and of two ranks, with these blocks.
std::string one(const std::string& block) {
  return "num_ranks 1\nrank 0 {\n" + block + "}\n";
}
std::string two(const std::string& first, const std::string& second) {
  return "num_ranks 2\nrank 0 {\n" + first + "}\nrank 1 {\n" + second + "}\n";
}

TEST(Goal, IsRefusedWithFileLineAndWhatWasExpected) {
  EXPECT_EQ(refusal(""), "f:1: expected 'num_ranks', not the end of the file");
  EXPECT_EQ(refusal("\nrank 0 {\n}\n"), "f:2: expected 'num_ranks', not 'rank 0 {'");
  EXPECT_EQ(refusal("num_ranks 0\n"), "f:1: expected at least one rank");
  EXPECT_THAT(refusal("num_ranks 5\n"), HasSubstr("f:1: expected a number of ranks"));
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 {\n}\n"),
            "f:4: expected 'rank 1', not the end of the file");
  EXPECT_EQ(refusal(one("") + "rank 0 {\n}\n"), "f:4: rank 0 has a block already");
  EXPECT_THAT(refusal("num_ranks 1\nrank 1 {\n}\n"),
              HasSubstr("f:2: expected a rank of at most 0"));
  EXPECT_EQ(refusal(one("calc\n")), "f:3: expected nanoseconds, not the end of the line");
  EXPECT_EQ(refusal(one("calc -1\n")), "f:3: expected nanoseconds, not '-1'");
  EXPECT_EQ(refusal(one("calc 5 }\n")), "f:3: expected the end of the line, not '}'");
  EXPECT_EQ(refusal(one("l1: jump 3\n")), "f:3: expected 'send', 'recv' or 'calc', not 'jump 3'");
  EXPECT_EQ(refusal(one("l1 wants l2\n")),
            "f:3: expected the label of an operation above, not 'l1'");
  EXPECT_EQ(refusal(one("l1: calc 1\nl1 wants l1\n")),
            "f:4: expected ':', 'requires' or 'irequires', not 'wants l1'");
  EXPECT_EQ(refusal(one("l1: calc 1\nl1: calc 1\n")), "f:4: label l1 is already used");
  EXPECT_EQ(refusal(one("send 10 to 0\n")), "f:3: expected 'b', not 'to 0'");
  EXPECT_EQ(refusal(one("send 10b from 0\n")), "f:3: expected 'to', not 'from 0'");
  EXPECT_EQ(
      refusal(one("send 99999999999999999999b to 0\n")),
      "f:3: expected a number of bytes of at most 1099511627776, not '99999999999999999999b to'");
  EXPECT_THAT(refusal(one("recv 10b from -1\n")),
              HasSubstr("a rank (-1 is not supported), not '-1'"));
  EXPECT_THAT(refusal(one("recv 10b from 0 tag -1\n")), HasSubstr("a tag (-1 is not supported)"));
  EXPECT_THAT(refusal(one("send 1b to 7\n")), HasSubstr("f:3: expected a rank"));
  EXPECT_EQ(refusal(one("/* for ever\n")),
            "f:3: expected an operation, a label or '}', not '/* for ever'");
}

TEST(ScheduleGraph, RefusesSendsAndReceivesThatDoNotMatch) {
  EXPECT_EQ(refusal(two("send 5b to 1 tag 3\n", "")),
            "f:3: 5 bytes from 0 to 1 with tag 3 are never received");
  EXPECT_EQ(refusal(two("", "recv 5b from 0\n")),
            "f:5: 5 bytes from 0 to 1 with tag 0 are never sent");
  EXPECT_EQ(refusal(two("send 5b to 1 tag 1\n", "recv 5b from 0 tag 2\n")),
            "f:3: 5 bytes from 0 to 1 with tag 1 are never received");
  EXPECT_EQ(refusal(two("send 5b to 1\n", "recv 6b from 0\n")),
            "f:6: expected 5 bytes, as sent in line 3, not 6");
  EXPECT_EQ(refusal(two("send 5b to 1\nsend 6b to 1\n", "recv 5b from 0\nrecv 6b from 0\n")),
            "accepted");
}

TEST(ScheduleGraph, RefusesCyclesWithTheirLines) {
  EXPECT_EQ(refusal(one("a: calc 1\nb: calc 1\na requires b\nb irequires a\n")),
            "f:3: operations wait in a circle: this one -> line 4 -> line 3");
  EXPECT_EQ(refusal(one("a: calc 1\na requires a\n")),
            "f:3: operations wait in a circle: this one -> line 3");
  // Each rank sends only after it has received from the other.
  EXPECT_EQ(refusal(two("a: send 1b to 1\nb: recv 1b from 1\na requires b\n",
                        "a: send 1b to 0\nb: recv 1b from 0\na requires b\n")),
            "f:3: operations wait in a circle: this one -> line 4 -> line 8 -> "
            "line 9 -> line 3");
}

constexpr std::string_view kCsv = "time,src,dst,bytes\n0,0,1,240\n1.5e-6,1,3,0\r\n0.25,3,1,7\n";

TEST(MessageCsv, IsReadWithTimesAndRanks) {
  const Schedule schedule = parse_message_csv(kCsv, "x.csv", kNodes);
  ASSERT_EQ(schedule.ranks.size(), 4u);
  EXPECT_TRUE(schedule.ranks[2].operations.empty());
  ASSERT_EQ(schedule.ranks[1].operations.size(), 3u);
  EXPECT_EQ(schedule.ranks[1].operations[1].kind, Kind::send);
  EXPECT_EQ(schedule.ranks[1].operations[1].not_before, 1.5e-6);
  EXPECT_EQ(ScheduleGraph(schedule).messages().size(), 3u);
  std::ostringstream out;
  write_message_csv(out, schedule);
  EXPECT_EQ(out.str(), "time,src,dst,bytes\n0,0,1,240\n1.5e-06,1,3,0\n0.25,3,1,7\n");
}

TEST(MessageCsv, IsRefusedWithFileLineAndWhatWasExpected) {
  const std::string header = "time,src,dst,bytes\n";
  EXPECT_EQ(refusal("", true),
            "f:1: expected the header line 'time,src,dst,bytes', not the end of the file");
  EXPECT_THAT(refusal("time,src,dst\n", true), HasSubstr("f:1: expected the header line"));
  EXPECT_EQ(refusal(header.substr(0, header.size() - 1), true),
            "f:1: expected the end of the header line, not the end of the file");
  EXPECT_EQ(refusal(header + "0,0,1,5", true),
            "f:2: expected the end of the line, not the end of the file");
  EXPECT_EQ(refusal(header + "0,0,1\n", true), "f:2: expected ',', not the end of the line");
  EXPECT_EQ(refusal(header + "0,0,4,1\n", true),
            "f:2: expected the rank of a destination of at most 3, not '4,1'");
  for (const char* time : {"1000001", "1e300", "1e999"})
    EXPECT_THAT(refusal(header + time + ",0,1,1\n", true),
                HasSubstr("f:2: expected a time in seconds of at most 1000000, not"))
        << time;
  for (const char* time : {"-1", "nan", "inf", "", "+1", "x"})
    EXPECT_THAT(refusal(header + time + ",0,1,1\n", true),
                HasSubstr("f:2: expected a time in seconds"))
        << time;
  EXPECT_EQ(refusal(header + "0,0,1,5\n0, 0,1,5\n", true),
            "f:3: expected the rank of a source, not ' 0,1,5'");
  EXPECT_EQ(refusal(header + "0,0,1,5 \n", true), "f:2: expected the end of the line, not ' '");
}

TEST(MessageCsv, MayBeEmpty) {
  Schedule nothing{"x.csv", std::vector<RankSchedule>(3)};
  std::ostringstream out;
  write_message_csv(out, nothing);
  const Schedule read = parse_message_csv(out.str(), "x.csv", kNodes);
  EXPECT_EQ(read.ranks.size(), 1u);
  EXPECT_TRUE(ScheduleGraph(read).messages().empty());
}

TEST(ScheduleGraph, RefusesOperationsOfDeadNodes) {
  const Shape shape =
      Shape::parse("2x2").with_failures(FailureList{.links = {}, .nodes = {"(1,1)"}});
  const auto refusal_on = [&](std::string_view text) -> std::string {
    const ScheduleGraph graph(parse_message_csv(text, "f", kNodes));
    try {
      for (Rank r = 0; r < shape.size(); ++r) graph.check_living(shape, r);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  };
  const std::string living = "time,src,dst,bytes\n0,0,1,5\n0,2,1,5\n";
  EXPECT_EQ(refusal_on(living), "");
  for (const char* message : {"0,0,3,1\n", "0,3,2,1\n", "0,3,3,1\n"})
    EXPECT_EQ(refusal_on(living + message), "f:4: rank 3 is node (1,1), which is dead");
}

/// Truncates, changes and duplicates parts of the text: each result must be accepted, or refused
/// with a message of one line.
template <typename Parse>
void mangle(std::string_view text, const Parse& parse) {
  const auto check = [&](const std::string& mangled) {
    try {
      ScheduleGraph graph(parse(mangled));
    } catch (const BadInput& error) {
      const std::string what = error.what();
      EXPECT_THAT(what, ::testing::StartsWith("f:"));
      EXPECT_EQ(what.find('\n'), what.npos);
    }
  };
  Random random(1);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) check(std::string(text.substr(0, cut)));
  for (unsigned i = 0; i < 4000; ++i) {
    std::string other(text);
    const auto at = random.below(static_cast<std::uint32_t>(text.size()));
    const auto from = random.below(static_cast<std::uint32_t>(text.size()));
    if (random.coin())
      other[at] = static_cast<char>(random.next());
    else
      other.replace(at, random.below(4), text.substr(from, random.below(12)));
    check(other);
  }
}

TEST(Goal, SurvivesMangledFiles) {
  mangle(kGoal, [](const std::string& text) { return parse_goal(text, "f", kNodes); });
}

TEST(MessageCsv, SurvivesMangledFiles) {
  mangle(kCsv, [](const std::string& text) { return parse_message_csv(text, "f", kNodes); });
}

TEST(Goal, IsRefusedIfTruncatedAnywhere) {
  const std::size_t end = kGoal.rfind('}');
  for (std::size_t cut = 0; cut <= end; ++cut)
    EXPECT_THROW(parse_goal(kGoal.substr(0, cut), "f", kNodes), BadInput) << cut;
  EXPECT_NO_THROW(parse_goal(kGoal.substr(0, end + 1), "f", kNodes));
}

// On a ring of 4: 100 ns are 70 cycles; a message of one byte over two hops takes 150 + 2·69
// cycles, 46 bytes at four cycles each, and 200 to receive.
TEST(CriticalPath, IsTheLongestChain) {
  const Machine machine;
  const auto path = [&](const std::string& text) {
    return critical_path(machine, Shape::parse("4"), ScheduleGraph(parse_goal(text, "f", kNodes)));
  };
  const Tick message = 150 + 69 + 46 * 4 + 200;
  EXPECT_EQ(path(one("")), 0u);
  EXPECT_EQ(path(one("calc 100\ncalc 200\n")), 140u);
  EXPECT_EQ(path(one("a: calc 100\nb: calc 200\nb requires a\n")), 210u);
  EXPECT_EQ(path(one("a: calc 100\nb: calc 200\nb irequires a\n")), 140u);
  EXPECT_EQ(path(two("a: calc 100\nb: send 1b to 1\nb requires a\n",
                     "a: recv 1b from 0\nb: calc 100\nb requires a\n")),
            140u + message);
  EXPECT_EQ(
      path("num_ranks 3\nrank 0 {\nsend 1b to 2\n}\nrank 1 {\n}\nrank 2 {\nrecv 1b from 0\n}\n"),
      message + 69);
}

}  // namespace
}  // namespace toroid
