// What this host cannot beat: the bound of exchanges on `shm`.
#pragma once

#include "hal/machine.hpp"

namespace toroid {

/// Bytes a second that one core copies in pieces of a packet's payload within its nearest caches;
/// measured at the first call, in some 10 ms.
double payload_copy_rate();

/// Cycles of the machine's clock that it takes `workers` cores to copy so many payload bytes into
/// packets and out of them again: what any exchange through packets needs at least.
Tick copy_bound(const Machine& machine, double payload_bytes, unsigned workers);

}  // namespace toroid
