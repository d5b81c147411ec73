// Memory that libraries take without looking whether they get it.
#pragma once

#include <cstddef>

namespace toroid {

/// Whether the process may have so much memory only, by what it maps (`ulimit -v`) or by what it
/// may write to (`ulimit -d`).
bool memory_is_limited();

/// Whether so many bytes more could be mapped now; nothing of them is kept.
bool has_room_for(std::size_t bytes);

}  // namespace toroid
