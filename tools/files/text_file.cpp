#include "tools/files/text_file.hpp"

#include <fmt/core.h>

#include <fstream>
#include <ios>

#include "hal/check.hpp"

namespace toroid {

std::optional<std::string> read_text(const std::string& path, std::size_t longest) {
  constexpr std::size_t kBlock = 1 << 20;  // bytes: memory follows the file, not the limit
  std::ifstream file(path, std::ios::binary);
  std::string text;
  while (file && text.size() <= longest) {
    const std::size_t have = text.size();
    text.resize(have + kBlock);
    file.read(text.data() + have, static_cast<std::streamsize>(kBlock));
    text.resize(have + static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) return std::nullopt;
  if (text.size() > longest)
    throw BadInput(fmt::format("{}: expected at most {} bytes", path, longest));
  return text;
}

}  // namespace toroid
