// How frames travel between processes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace toroid {

enum class FrameWay : std::uint8_t {
  /// Frames are written if all processes can and none is slower then, else sent as messages. The
  /// same rule decides whether long puts are read.
  automatic,
  messages,  ///< sent to any buffer that the receiver has posted; puts are packed
  writes,    ///< written into the receiver's memory, with immediate data; long puts are read
};
inline constexpr std::array<std::string_view, 3> kFrameWayNames = {"auto", "messages", "writes"};

}  // namespace toroid
