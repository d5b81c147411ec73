#include "tools/files/schedule_file.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <ostream>
#include <utility>

#include "hal/check.hpp"
#include "tools/files/goal.hpp"
#include "tools/files/message_csv.hpp"
#include "tools/files/text_file.hpp"

namespace toroid {
namespace {

constexpr std::size_t kLongestSchedule = std::size_t{4} << 30;

}  // namespace

ScheduleFormat schedule_format(const std::string& path) {
  if (path.ends_with(".goal")) return ScheduleFormat::goal;
  if (path.ends_with(".csv")) return ScheduleFormat::csv;
  throw BadInput(one_line(fmt::format("{}: expected a name that ends in .goal or .csv", path)));
}

std::string read_schedule_text(const std::string& path) {
  (void)schedule_format(path);
  auto text = read_text(path, kLongestSchedule);
  if (!text) throw BadInput(one_line(fmt::format("{}: cannot be read", path)));
  return *std::move(text);
}

Schedule parse_schedule(const std::string& text, const std::string& path, Rank nodes) {
  return schedule_format(path) == ScheduleFormat::goal ? parse_goal(text, path, nodes)
                                                       : parse_message_csv(text, path, nodes);
}

Schedule read_schedule(const std::string& path, Rank nodes) {
  return parse_schedule(read_schedule_text(path), path, nodes);
}

void write_schedule(std::ostream& out, const Schedule& schedule, ScheduleFormat format) {
  format == ScheduleFormat::goal ? write_goal(out, schedule) : write_message_csv(out, schedule);
}

}  // namespace toroid
