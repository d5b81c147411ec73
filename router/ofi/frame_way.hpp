// How frames travel between processes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid {

enum class FrameWay : std::uint8_t {
  automatic,  ///< each as `writes` where all processes can and it is not slower, else `messages`
  messages,   ///< to whichever buffer the receiver has posted; puts are packed
  writes,     ///< into the receiver's memory, with data that tell it; long puts are read
};
inline constexpr std::array<std::string_view, 3> kFrameWayNames = {"auto", "messages", "writes"};

}  // namespace toroid
