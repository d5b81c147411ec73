#include "tools/lab/benchmarks/kind.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "hal/check.hpp"
#include "tools/text/numbers.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr ByteLimits kSizeLimits{.max = std::uint64_t{1} << 30};

}  // namespace

MessageSizes default_sizes(BenchKind kind) {
  if (has_window(kind)) return {1, 1024 * kKiB};
  if (kind == BenchKind::alltoall) return {256, 64 * kKiB};
  return {8, 64 * kKiB};
}

MessageSizes parse_message_sizes(std::string_view text, const MessageSizes& usual) {
  const std::size_t colon = text.find(':');
  const bool has_colon = colon != std::string_view::npos;
  const std::string_view min = has_colon ? text.substr(0, colon) : "";
  const std::string_view max = has_colon ? text.substr(colon + 1) : text;
  if (min.empty() && max.empty())
    throw BadInput(fmt::format("'{}' is not a message size; expected MAX or MIN:MAX, e.g. 8:4KiB",
                               shortened(text)));
  MessageSizes sizes = usual;
  if (!min.empty()) sizes.min = parse_bytes(min, kSizeLimits);
  if (!max.empty()) sizes.max = parse_bytes(max, kSizeLimits);
  if (min.empty()) sizes.min = std::min(sizes.min, sizes.max);
  if (max.empty()) sizes.max = std::max(sizes.min, sizes.max);
  if (sizes.min > sizes.max)
    throw BadInput(
        fmt::format("'{}': the minimum {} is above the maximum {}", text, sizes.min, sizes.max));
  return sizes;
}

std::vector<std::uint64_t> doubled(const MessageSizes& sizes) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t size = sizes.min; size <= sizes.max; size = size == 0 ? 1 : 2 * size)
    all.push_back(size);
  return all;
}

}  // namespace toroid
