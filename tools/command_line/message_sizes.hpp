// The sizes that the benchmarks of messages go through.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/measure/kind.hpp"

namespace toroid {

/// Bytes of a message, or of a pair's.
struct MessageSizes {
  std::uint64_t min;
  std::uint64_t max;
};

/// Where the user does not say; of `idle`, which moves nothing, of no meaning.
MessageSizes default_sizes(BenchKind kind);

/// As OSU's benchmarks take it: "min:max", "min:", or "max" alone; what is not said is `usual`.
/// Sizes may have units, as 4KiB. Throws BadInput where it is none of these, or the minimum is
/// above the maximum.
MessageSizes parse_message_sizes(std::string_view text, const MessageSizes& usual);

/// From the minimum on, each twice the one before, up to the maximum; after 0 comes 1.
std::vector<std::uint64_t> doubled(const MessageSizes& sizes);

}  // namespace toroid
