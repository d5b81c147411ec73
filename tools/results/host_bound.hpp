// The bound of exchanges whose time is the wall clock's: how fast this host copies.
#pragma once

namespace toroid {

/// The rate in bytes a second at which one core copies pieces of a packet's payload within its
/// nearest caches. The first call measures it, in about 10 ms.
double payload_copy_rate();

/// The seconds in which `workers` cores copy so many bytes once.
double copy_seconds(double bytes, unsigned workers);
/// The seconds in which they copy so many payload bytes into packets and out of them again, which
/// any exchange through packets needs.
double exchange_copy_seconds(double payload_bytes, unsigned workers);

}  // namespace toroid
