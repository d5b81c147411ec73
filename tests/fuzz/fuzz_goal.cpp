// A schedule that parse_goal() accepts does not change when it is written and read again.
// ScheduleGraph accepts the schedule, or refuses it with a message of one line.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/replay/schedule.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/files/goal_schedule.hpp"

namespace toroid::fuzz::goal {
namespace {

constexpr Rank kNodes = 64;

std::string written(const Schedule& schedule) {
  std::ostringstream out;
  write_goal(out, schedule);
  return out.str();
}

void check_graph(const Schedule& schedule) {
  const ScheduleGraph graph(schedule);
  std::size_t operations = 0;
  for (const RankSchedule& rank : schedule.ranks) operations += rank.operations.size();
  TOROID_CHECK_EQ(graph.order().size(), operations);
}

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    const Schedule schedule = parse_goal(text, "input", kNodes);
    TOROID_CHECK_LE(schedule.ranks.size(), kNodes);
    const std::string again = written(schedule);
    TOROID_CHECK_EQ(written(parse_goal(again, "written", kNodes)), again);
    check_graph(schedule);
  });
}

const Reader kReader("goal", try_input);

}  // namespace
}  // namespace toroid::fuzz::goal
