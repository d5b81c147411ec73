// What this host cannot beat: the bound of exchanges whose time is the wall clock's.
#pragma once

namespace toroid {

/// Bytes a second that one core copies in pieces of a packet's payload within its nearest caches;
/// measured at the first call, in some 10 ms.
double payload_copy_rate();

/// Seconds in which `workers` cores copy so many bytes once.
double copy_seconds(double bytes, unsigned workers);
/// Seconds in which they copy so many payload bytes into packets and out of them again: what any
/// exchange through packets needs at least.
double exchange_copy_seconds(double payload_bytes, unsigned workers);

}  // namespace toroid
