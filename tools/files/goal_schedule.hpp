// Reads and writes schedules as GOAL text, the format of LogGOPSim's txt2bin:
//
//   num_ranks 2
//   rank 0 {
//   l1: calc 100 cpu 0
//   l2: send 10b to 1 tag 5 cpu 0 nic 0
//   l2 requires l1
//   }
//   rank 1 {
//   l1: recv 10b from 0 tag 5
//   }
//
// Each line has one statement. Labels, tag, cpu and nic are optional; comments are as in C++. calc
// counts nanoseconds. cpu and nic are ignored, since a node has one processor. Receives from any
// source or with any tag (-1) are refused, because their messages would differ from run to run.
// Source: T. Hoefler, T. Schneider, A. Lumsdaine, "LogGOPSim" (2010), and its scanner.
#pragma once

#include <iosfwd>
#include <string_view>

#include "hal/shape.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {

/// Returns the schedule of a GOAL text. Throws BadInput with file, line and what was expected: at
/// most `nodes` ranks, a block for each, and labels that are defined above their use. ScheduleGraph
/// checks the dependencies.
Schedule parse_goal(std::string_view text, std::string_view file, Rank nodes);
void write_goal(std::ostream& out, const Schedule& schedule);

}  // namespace toroid
