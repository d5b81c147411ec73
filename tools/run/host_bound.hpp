// The bound of exchanges whose time is the wall clock's: how fast this host copies.
#pragma once

#include "packet/node/settings.hpp"

namespace toroid {

/// The rate in bytes a second at which one core copies pieces of a packet's payload within its
/// nearest caches. The first call measures it, in about 10 ms.
double payload_copy_rate();

/// The seconds in which `workers` cores copy so many bytes once.
double copy_seconds(double bytes, unsigned workers);
/// The seconds in which they copy so many payload bytes as often as any exchange needs to: into
/// packets and out of them again, or, where messages may move by put, once.
double exchange_copy_seconds(double payload_bytes, unsigned workers, TransferMode transfer);

}  // namespace toroid
