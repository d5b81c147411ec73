// Files of messages: GOAL and CSV, told apart by their names' endings.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "hal/shape.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {

/// FILE.goal or FILE.csv, with at most `nodes` ranks. Throws BadInput with file, line and what was
/// expected.
Schedule read_schedule(const std::string& path, Rank nodes);

enum class ScheduleFormat : std::uint8_t { goal, csv };
/// Throws BadInput where the path ends in neither.
ScheduleFormat schedule_format(const std::string& path);
void write_schedule(std::ostream& out, const Schedule& schedule, ScheduleFormat format);

}  // namespace toroid
