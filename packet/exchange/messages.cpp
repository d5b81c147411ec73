#include "packet/exchange/messages.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

MessageRun run_of(std::uint64_t bytes, unsigned per_packet, std::uint32_t first,
                  std::uint32_t limit) {
  const std::uint64_t begin = std::uint64_t{first} * per_packet;
  if (begin >= bytes) return {};
  const std::uint64_t full = (bytes - begin) / per_packet;
  if (full == 0) return {static_cast<unsigned>(bytes - begin), 1};
  return {per_packet, static_cast<std::uint32_t>(std::min<std::uint64_t>(full, limit))};
}

std::unique_ptr<const Traffic> UniformMessages::traffic(std::uint64_t) const {
  return make_traffic("all-to-all", shape_, bytes_, 0);
}

}  // namespace toroid
