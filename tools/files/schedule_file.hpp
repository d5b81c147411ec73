// Reads and writes files of messages: GOAL or CSV, as the name's ending says.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "hal/shape.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {

/// The schedule of a CSV text: sends that wait for their time alone, and their receives. It has
/// ranks up to the highest named, one where there is no message. Throws BadInput with file, line
/// and what was expected: ranks below `nodes`, times of at most kMostSeconds. The last line must
/// end with a newline too, so that a file that was cut off is refused.
Schedule parse_message_csv(std::string_view text, std::string_view file, Rank nodes);
/// Writes the sends by time and source.
void write_message_csv(std::ostream& out, const Schedule& schedule);

/// The text of FILE.goal or FILE.csv. Throws BadInput where it has another name or cannot be read.
std::string read_schedule_text(const std::string& path);
/// The schedule of such a text, of at most `nodes` ranks. Throws BadInput with file, line and what
/// was expected.
Schedule parse_schedule(const std::string& text, const std::string& path, Rank nodes);
/// Both at once.
Schedule read_schedule(const std::string& path, Rank nodes);

enum class ScheduleFormat : std::uint8_t { goal, csv };
/// The format that the path's ending names. Throws BadInput where it names none.
ScheduleFormat schedule_format(const std::string& path);
void write_schedule(std::ostream& out, const Schedule& schedule, ScheduleFormat format);

}  // namespace toroid
