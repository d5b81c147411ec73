// The permitted reaction of a reader to an input that it cannot use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hal/check.hpp"

namespace toroid::fuzz {

/// Runs `read`, which may throw BadInput with a one-line text. Any other failure ends the program.
template <typename Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const BadInput& reason) {
    TOROID_CHECK(std::string(reason.what()).find('\n') == std::string::npos);
  }
}

/// Like read_or_refuse(), for a reader of text.
template <typename Read>
void read_text_or_refuse(const std::uint8_t* data, std::size_t size, const Read& read) {
  read_or_refuse([&] { read(std::string_view(reinterpret_cast<const char*>(data), size)); });
}

}  // namespace toroid::fuzz
