// Messages as CSV: a header line, then a line per message, its time in seconds from the start:
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

/// Sends that wait for nothing but their time, and their receives; ranks up to the highest named,
/// one where there is no message.
/// Throws BadInput with file, line and what was expected: ranks below `nodes`, times
/// of at most kMostSeconds; the last line must end too, or a file that was cut off would do.
Schedule parse_message_csv(std::string_view text, std::string_view file, Rank nodes);
/// The sends, by time and source.
void write_message_csv(std::ostream& out, const Schedule& schedule);

}  // namespace toroid
