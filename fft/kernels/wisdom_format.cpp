#include "fft/kernels/wisdom_format.hpp"

#include <fmt/core.h>

#include <cstdint>

namespace toroid::fft::local {
namespace {

/// The 64-bit FNV-1a hash of a text. A change of any single byte changes the hash.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

std::string first_line_for(std::string_view wisdom) {
  return fmt::format("toroid-wisdom 1 {} bytes {:016x}\n", wisdom.size(), checksum(wisdom));
}

}  // namespace

std::string formatted_wisdom(std::string_view wisdom) {
  return first_line_for(wisdom) + std::string(wisdom);
}

std::optional<std::string_view> wisdom_of_format(std::string_view content) {
  const std::string_view wisdom = content.substr(content.find('\n') + 1);  // npos + 1 is 0
  if (wisdom.size() == content.size() || !content.starts_with(first_line_for(wisdom)))
    return std::nullopt;
  return wisdom;
}

}  // namespace toroid::fft::local
