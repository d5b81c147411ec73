#include "tools/files/npy/file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

namespace toroid::npy {
namespace {

constexpr std::size_t kFirstRead = 65536;  // bytes: enough to know whether to read on

[[noreturn]] void throw_errno() {
  throw BadInput(fmt::format("cannot be read: {}", std::generic_category().message(errno)));
}

}  // namespace

std::vector<std::byte> read_bytes(std::FILE* file, std::size_t known, BeginsWell begins_well) {
  std::vector<std::byte> bytes;
  std::size_t used = 0;
  for (std::size_t step = kFirstRead; used == bytes.size();
       step = known > used ? known - used + 1 : used) {
    bytes.resize(used + step);
    used += std::fread(bytes.data() + used, 1, step, file);
    if (!begins_well(std::span(bytes).first(used))) break;
  }
  if (std::ferror(file) != 0) throw_errno();
  bytes.resize(used);
  return bytes;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path, BeginsWell begins_well) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) throw_errno();
  std::error_code no_size;  // a pipe: the buffer grows as the bytes come
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  return read_bytes(file.get(), no_size ? 0 : static_cast<std::size_t>(size), begins_well);
}

BadInput refusal(std::string_view name, std::string_view reason) {
  return BadInput(fmt::format("{}: {}", one_line(std::string(name)), reason));
}

}  // namespace toroid::npy
