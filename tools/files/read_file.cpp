#include "tools/files/read_file.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <ios>
#include <memory>
#include <system_error>
#include <utility>

#include "tools/files/run_inputs.hpp"

namespace toroid {
namespace {

/// Removes the byte-order mark that editors of some systems put before a text in UTF-8.
void drop_byte_order_mark(std::string& text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
}

/// The limit for a text from this path. What is not a regular file may be endless.
std::size_t longest_from(const std::string& path, std::size_t longest) {
  constexpr std::size_t kLongestStream = 1 << 26;  // bytes
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown) ? longest
                                                         : std::min(longest, kLongestStream);
}

}  // namespace

std::optional<std::string> try_read_text(const std::string& path, std::size_t limit) {
  constexpr std::size_t kBlock = 1 << 20;  // bytes: memory grows with the file, not the limit
  const std::size_t longest = longest_from(path, limit);
  InputHash hash(path);
  naming(path, [&] { refuse_shared_stream(path); });
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
    throw BadInput(fmt::format("{}: expected at most {} bytes{}", path, longest,
                               longest < limit ? " from a pipe or a device; use a file" : ""));
  hash.add(std::as_bytes(std::span(text)));
  hash.end();
  drop_byte_order_mark(text);
  return text;
}

std::string read_text(const std::string& path, std::size_t longest) {
  std::optional<std::string> text = try_read_text(path, longest);
  if (!text) throw refusal(path, "cannot be read: " + std::generic_category().message(errno));
  return *std::move(text);
}

namespace {

constexpr std::size_t kFirstRead = 65536;  // bytes: enough to recognise a format
constexpr std::size_t kHashed = 1 << 20;   // bytes that are hashed while they are in the cache

[[noreturn]] void throw_errno() {
  throw BadInput(fmt::format("cannot be read: {}", std::generic_category().message(errno)));
}

/// Reads `place.size()` bytes, or to the end of the file. Returns how many it has read.
std::size_t read_into(std::span<std::byte> place, std::FILE* file, InputHash& hash) {
  std::size_t used = 0;
  for (std::size_t got = 1; got > 0 && used < place.size(); used += got) {
    const auto block = place.subspan(used, std::min(kHashed, place.size() - used));
    got = std::fread(block.data(), 1, block.size(), file);
    hash.add(block.first(got));
  }
  return used;
}

std::vector<std::byte> read_hashed(std::FILE* file, std::size_t known, BeginsWell begins_well,
                                   InputHash hash) {
  std::vector<std::byte> bytes;
  std::size_t used = 0;
  for (std::size_t step = kFirstRead; used == bytes.size();
       step = known > used ? known - used + 1 : used) {
    bytes.resize(used + step);
    used += read_into(std::span(bytes).subspan(used), file, hash);
    if (!begins_well(std::span(bytes).first(used))) break;
  }
  if (std::ferror(file) != 0) throw_errno();
  hash.end();
  bytes.resize(used);
  return bytes;
}

}  // namespace

std::vector<std::byte> read_standard_input(BeginsWell begins_well) {
  refuse_shared_standard_input();
  return read_hashed(stdin, 0, begins_well, InputHash("standard input"));
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path, BeginsWell begins_well) {
  InputHash hash(path.string());
  refuse_shared_stream(path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) throw_errno();
  std::error_code no_size;  // set for a pipe; the buffer then grows as bytes come
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  return read_hashed(file.get(), no_size ? 0 : static_cast<std::size_t>(size), begins_well,
                     std::move(hash));
}

BadInput refusal(std::string_view name, std::string_view reason) {
  return BadInput(fmt::format("{}: {}", one_line(std::string(name)), reason));
}

namespace {

/// Continues `crc` with the file's bytes.
unsigned long crc_with(unsigned long crc, const std::string& path) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw BadInput(one_line(path + " is not a regular file"));  // it may be endless
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 16);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    crc = ::crc32_z(crc, reinterpret_cast<const unsigned char*>(block.data()),
                    static_cast<std::size_t>(file.gcount()));
  } while (file);
  return crc;
}

}  // namespace

std::string file_sum(const std::string& path) {
  return file_sum(std::span(&path, 1));
}

std::string file_sum(std::span<const std::string> paths) {
  unsigned long crc = ::crc32_z(0, nullptr, 0);
  for (const std::string& path : paths) crc = crc_with(crc, path);
  return fmt::format("{:08x}", crc);
}

}  // namespace toroid
