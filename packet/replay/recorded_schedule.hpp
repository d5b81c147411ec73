// The schedule of a run's recorded messages, which another fabric can perform.
#pragma once

#include "hal/machine.hpp"
#include "packet/node/message_record.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {

/// The schedule of a recorded run. Every rank sends in the order of the record; each send follows
/// the receives that were complete before it, and a computation as long as the time between them.
/// Sends carry their times, too. A receive for which the record shows no waiting send has no
/// dependencies, and nothing depends on it.
Schedule schedule_of(const MessageRecord& record, const Machine& machine);

}  // namespace toroid
