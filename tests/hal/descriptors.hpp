// Descriptors without payload, distinguished by their cookies, for tests of fill and drain.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "hal/direction.hpp"
#include "hal/packet.hpp"
#include "hal/send_descriptor.hpp"

namespace toroid::testing {

inline SendDescriptor descriptor(DirectionSet hints, std::uint64_t cookie, unsigned chunks = 1) {
  const HeaderFields fields{.hints = hints, .chunks = chunks};
  return {.header = PacketHeader(fields), .source = nullptr, .cookie = cookie};
}

inline DirectionSet set_of(std::initializer_list<Direction> directions) {
  DirectionSet set;
  for (const Direction d : directions) set.add(d);
  return set;
}

inline constexpr Direction kXPlus = Direction::plus(0);
inline constexpr Direction kXMinus = Direction::minus(0);
inline constexpr Direction kYPlus = Direction::plus(1);
inline constexpr Direction kYMinus = Direction::minus(1);

/// The packets that a drain has moved, in order, as pairs of cookie and FIFO.
using Moved = std::vector<std::pair<std::uint64_t, unsigned>>;

/// Empties a queue and returns the cookies of its descriptors in order.
template <typename Queue>
std::vector<std::uint64_t> cookies(Queue&& queue) {
  std::vector<std::uint64_t> taken;
  for (; !queue.empty(); queue.pop()) taken.push_back(queue.front().cookie);
  return taken;
}

}  // namespace toroid::testing
