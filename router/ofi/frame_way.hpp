// How frames travel between processes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid {

enum class FrameWay : std::uint8_t {
  automatic,  ///< writes and reads if all processes can and they are not slower; otherwise messages
  messages,   ///< sent to any buffer that the receiver has posted; puts are packed
  writes,     ///< written into the receiver's memory, with immediate data; long puts are read
};
inline constexpr std::array<std::string_view, 3> kFrameWayNames = {"auto", "messages", "writes"};

}  // namespace toroid
