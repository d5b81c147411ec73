// The schedule of a run's recorded messages, which another fabric can perform.
#pragma once

#include "hal/machine.hpp"
#include "packet/node/message_record.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {

/// The schedule of a recorded run. Every rank sends in the order of the record. Each send waits for
/// the receives that were complete before it, and for a computation. The computation takes the time
/// since the last of these receives or since the previous send, whichever was later. A send also
/// has its recorded time, before which it does not begin. If the record does not show that a
/// message was received, its receive has no dependencies and nothing depends on it.
Schedule schedule_of(const MessageRecord& record, const Machine& machine);

}  // namespace toroid
