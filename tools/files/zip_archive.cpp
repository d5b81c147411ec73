#include "tools/files/zip_archive.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// libzip's message, except for errors whose messages would mislead, such as "No such file".
BadInput zip_refusal(zip_error_t* error) {
  constexpr std::array kOfTheSystem = {ZIP_ER_NOZIP, ZIP_ER_INCONS, ZIP_ER_EOF, ZIP_ER_NOENT,
                                       ZIP_ER_INVAL, ZIP_ER_READ,   ZIP_ER_SEEK};
  constexpr int kTruncated = 35;  // ZIP_ER_TRUNCATED_ZIP, since libzip 1.11
  const int code = ::zip_error_code_zip(error);
  if (std::ranges::count(kOfTheSystem, code) > 0 || code == kTruncated)
    return BadInput("zip archive truncated or damaged");
  return BadInput(fmt::format("zip archive: {}", ::zip_error_strerror(error)));
}

zip_t* opened(std::span<const std::byte> bytes) {
  zip_error_t error{};
  zip_source_t* const source = ::zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* const archive =
      source == nullptr ? nullptr : ::zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive != nullptr) return archive;
  const BadInput refusal = zip_refusal(&error);
  ::zip_source_free(source);
  ::zip_error_fini(&error);
  throw refusal;
}

/// Reads the file to its end, or until it has more than `size` bytes. Reserves no more memory than
/// `packed` compressed bytes can unpack to.
std::vector<std::byte> read_to_end(zip_file_t* file, std::uint64_t size, std::size_t packed) {
  constexpr std::size_t kFirstRoom = std::size_t{1} << 20;  // bytes
  constexpr std::size_t kMostDeflated = 1032;               // bytes that one byte can unpack to
  const std::size_t most = size + 1;
  std::vector<std::byte> content;
  content.reserve(std::min(most, kFirstRoom + kMostDeflated * packed));
  for (std::int64_t read = 1; read > 0 && content.size() < most;) {
    const std::size_t have = content.size();
    content.resize(std::min(most, std::max(kFirstRoom, 2 * have)));
    read = ::zip_fread(file, content.data() + have, content.size() - have);
    if (read < 0) throw zip_refusal(::zip_file_get_error(file));
    content.resize(have + static_cast<std::size_t>(read));
  }
  return content;
}

}  // namespace

bool is_zip(std::span<const std::byte> bytes) {
  constexpr std::string_view kMember = "PK\3\4", kEmpty = "PK\5\6";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(kMember) || text.starts_with(kEmpty);
}

ZipArchive::ZipArchive(std::span<const std::byte> bytes)
    : bytes_(bytes.size()), archive_(opened(bytes), &::zip_discard) {}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  const std::int64_t members = ::zip_get_num_entries(archive_.get(), 0);
  for (std::int64_t m = 0; m < members; ++m)
    names.emplace_back(
        ::zip_get_name(archive_.get(), static_cast<std::uint64_t>(m), ZIP_FL_ENC_RAW));
  return names;
}

std::vector<std::byte> ZipArchive::content(std::size_t member) const {
  zip_stat_t stat{};
  if (::zip_stat_index(archive_.get(), member, 0, &stat) != 0)
    throw zip_refusal(::zip_get_error(archive_.get()));
  if (stat.encryption_method != ZIP_EM_NONE) throw BadInput("is encrypted");
  const std::unique_ptr<zip_file_t, decltype(&::zip_fclose)> file(
      ::zip_fopen_index(archive_.get(), member, 0), &::zip_fclose);
  if (file == nullptr &&
      ::zip_error_code_zip(::zip_get_error(archive_.get())) == ZIP_ER_COMPNOTSUPP)
    throw BadInput(
        fmt::format("zip archive: compression method {} is not supported", stat.comp_method));
  if (file == nullptr) throw zip_refusal(::zip_get_error(archive_.get()));
  std::vector<std::byte> content =
      read_to_end(file.get(), stat.size, std::min<std::uint64_t>(stat.comp_size, bytes_));
  if (content.size() != stat.size)
    throw BadInput(fmt::format("zip archive: expected {} bytes of the member, found {}", stat.size,
                               content.size()));
  return content;
}

}  // namespace toroid
