// How frames travel between processes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid {

enum class FrameWay : std::uint8_t {
  automatic,  ///< they are written where all processes can do so and it is not slower
  messages,   ///< they are sent, to whichever buffer the receiver has posted
  writes,     ///< they are written into the receiver's memory, with data that tell it
};
inline constexpr std::array<std::string_view, 3> kFrameWayNames = {"auto", "messages", "writes"};

}  // namespace toroid
