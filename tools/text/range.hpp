// Reads numbers and ranges of them: "0.1:1.0:0.1" goes by steps, "1KiB:64KiB:x2" by a factor.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/text/byte_count.hpp"

namespace toroid {

/// The smallest and the largest value allowed.
struct NumberLimits {
  double min;
  double max;
};

/// One number, or those of a range FROM:TO:STEP or FROM:TO:xFACTOR, the last not above TO. The
/// numbers of a range are those a user would type: 0.3, not 0.30000000000000004. Throws BadInput.
std::vector<double> parse_numbers(std::string_view text, const NumberLimits& limits);

/// The same for numbers of bytes, each with a unit or without. A factor need not be whole; its
/// products are rounded down.
std::vector<std::uint64_t> parse_byte_counts(std::string_view text, const ByteLimits& limits);

/// The same for whole numbers that count something else; FROM:TO goes by 1.
std::vector<std::uint64_t> parse_counts(std::string_view text, const ByteLimits& limits);

}  // namespace toroid
