// Reads and writes files of messages. The name's ending selects GOAL or CSV.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "hal/shape.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {

/// Returns the schedule of a CSV text: sends that wait only for their time, and their receives. It
/// has ranks up to the highest in the text, or one rank if there is no message. Throws BadInput
/// with file, line and what was expected: ranks below `nodes`, times of at most kMostSeconds. The
/// last line must also end with a newline, so that a truncated file is refused.
Schedule parse_message_csv(std::string_view text, std::string_view file, Rank nodes);
/// Writes the sends in order of time, then source.
void write_message_csv(std::ostream& out, const Schedule& schedule);

/// Reads FILE.goal or FILE.csv. Throws BadInput if it has another ending or cannot be read.
std::string read_schedule_text(const std::string& path);
/// Parses a text as GOAL or CSV, by the ending of `path`. The schedule has at most `nodes` ranks.
/// Throws BadInput with file, line and what was expected.
Schedule parse_schedule(const std::string& text, const std::string& path, Rank nodes);
/// read_schedule_text() and parse_schedule() in one.
Schedule read_schedule(const std::string& path, Rank nodes);

enum class ScheduleFormat : std::uint8_t { goal, csv };
/// The format for the path's ending. Throws BadInput if it is neither .goal nor .csv.
ScheduleFormat schedule_format(const std::string& path);
void write_schedule(std::ostream& out, const Schedule& schedule, ScheduleFormat format);

}  // namespace toroid
