// How fast this host copies memory, which gives the bound of exchanges in wall-clock time.
#pragma once

#include "packet/node/settings.hpp"

namespace toroid {

/// The rate in bytes per second at which one core copies payloads of packets within its nearest
/// caches. The first call measures it, in about 10 ms.
double payload_copy_rate();

/// The seconds in which `workers` cores copy `bytes` once.
double copy_seconds(double bytes, unsigned workers);
/// The seconds in which `workers` cores make the copies of the payload that every exchange needs:
/// two copies (into packets and out of them), or one if messages may move by put.
double exchange_copy_seconds(double payload_bytes, unsigned workers, TransferMode transfer);

}  // namespace toroid
