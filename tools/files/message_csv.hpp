// Reads and writes messages as CSV: a header line, then a line per message with its time in seconds
// from the start:
//
//   time,src,dst,bytes
//   0,0,1,240
//   1.5e-6,1,0,480
#pragma once

#include <iosfwd>
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

}  // namespace toroid
