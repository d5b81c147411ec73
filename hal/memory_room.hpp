// How much memory is available. Callers check this before they use a library that does not handle
// failed allocations.
#pragma once

#include <cstddef>

namespace toroid {

/// Whether the process has a memory limit: on what it maps (`ulimit -v`) or on its writable memory
/// (`ulimit -d`).
bool memory_is_limited();

/// Whether this many more bytes could be mapped now. Nothing stays allocated.
bool has_room_for(std::size_t bytes);

}  // namespace toroid
