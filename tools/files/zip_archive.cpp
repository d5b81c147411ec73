#include "tools/files/zip_archive.hpp"

#include <fmt/core.h>
#include <zconf.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hal/check.hpp"
#include "tools/files/inflate.hpp"

namespace toroid {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kZip64DirectoryEnd = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;

// The lengths of the records in bytes, without their parts of variable length.
constexpr std::size_t kLocalHeaderSize = 30;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kZip64EndSize = 56;
constexpr std::size_t kLongestComment = 0xffff;

constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint16_t kIsEncrypted = 1;         // bit of the flags
constexpr std::uint32_t kElsewhere = 0xffffffff;  // the value is among the Zip64 fields
constexpr std::array<std::pair<std::uint16_t, std::string_view>, 5> kMethodsNotRead = {
    {{9, "Deflate64"}, {12, "bzip2"}, {14, "LZMA"}, {93, "Zstandard"}, {95, "xz"}}};

/// A piece of the archive, read in little endian.
class Record {
 public:
  /// Throws BadInput where the piece is not all in the archive.
  Record(std::span<const std::byte> archive, std::uint64_t offset, std::uint64_t size,
         std::string_view what) {
    if (offset > archive.size() || size > archive.size() - offset)
      throw BadInput(
          fmt::format("zip archive truncated or damaged: no {} at byte {}", what, offset));
    bytes_ = archive.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }

  template <typename T>
  T get(std::size_t at) const {
    TOROID_CHECK_LE(at + sizeof(T), bytes_.size());
    std::uint64_t value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at + i]);
    return static_cast<T>(value);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

Record signed_record(std::span<const std::byte> archive, std::uint64_t offset, std::size_t size,
                     std::uint32_t signature, std::string_view what) {
  const Record record(archive, offset, size, what);
  if (record.get<std::uint32_t>(0) != signature)
    throw BadInput(fmt::format("zip archive damaged: no {} at byte {}", what, offset));
  return record;
}

/// The offset of the record that ends every archive; only a comment may follow it.
std::size_t end_of_directory(std::span<const std::byte> archive) {
  const std::size_t most = std::min(archive.size(), kEndSize + kLongestComment);
  for (std::size_t back = kEndSize; back <= most; ++back) {
    const Record end(archive, archive.size() - back, kEndSize, "end of its directory");
    if (end.get<std::uint32_t>(0) != kDirectoryEnd) continue;
    if (end.get<std::uint16_t>(20) == back - kEndSize) return archive.size() - back;
  }
  throw BadInput("zip archive truncated: the end of its directory is missing");
}

struct ZipDirectory {
  std::uint64_t members;
  std::uint64_t offset;
};

/// Reads the Zip64 record of an archive whose numbers do not fit the old one.
ZipDirectory zip64_directory(std::span<const std::byte> archive, std::size_t end) {
  if (end < kLocatorSize) throw BadInput("zip archive damaged: no Zip64 locator");
  const Record locator =
      signed_record(archive, end - kLocatorSize, kLocatorSize, kZip64Locator, "Zip64 locator");
  const Record directory = signed_record(archive, locator.get<std::uint64_t>(8), kZip64EndSize,
                                         kZip64DirectoryEnd, "Zip64 end of its directory");
  return {directory.get<std::uint64_t>(32), directory.get<std::uint64_t>(48)};
}

ZipDirectory directory_of(std::span<const std::byte> archive) {
  const std::size_t at = end_of_directory(archive);
  const Record end(archive, at, kEndSize, "end of its directory");
  const auto members = end.get<std::uint16_t>(10);
  const auto offset = end.get<std::uint32_t>(16);
  if (members == 0xffff || offset == kElsewhere) return zip64_directory(archive, at);
  if (end.get<std::uint16_t>(8) != members)
    throw BadInput("zip archive in several parts; expected one file");
  return {members, offset};
}

/// Reads the fields of 64 bits, which stand in order for those that do not fit 32.
void read_zip64(const Record& extra, ZipMember& member) {
  const std::size_t size = extra.bytes().size();
  for (std::size_t at = 0; at + 4 <= size;) {
    const auto length = extra.get<std::uint16_t>(at + 2);
    std::size_t field = at + 4;
    const bool is_zip64 = extra.get<std::uint16_t>(at) == kZip64Extra;
    at = field + length;
    if (!is_zip64) continue;
    for (std::uint64_t* const value : {&member.size, &member.packed_size, &member.offset}) {
      if (*value != kElsewhere) continue;
      if (field + 8 > std::min(at, size)) throw BadInput("zip archive damaged: a size is missing");
      *value = extra.get<std::uint64_t>(field);
      field += 8;
    }
  }
}

/// The entry at `offset`, which then becomes that of the next entry.
ZipMember take_member(std::span<const std::byte> archive, std::uint64_t& offset) {
  const Record entry =
      signed_record(archive, offset, kEntrySize, kDirectoryEntry, "entry of its directory");
  const auto name_size = entry.get<std::uint16_t>(28);
  const auto extra_size = entry.get<std::uint16_t>(30);
  const Record name(archive, offset + kEntrySize, name_size, "name of a member");
  const Record extra(archive, offset + kEntrySize + name_size, extra_size, "extra field");
  ZipMember member{
      .name = std::string(reinterpret_cast<const char*>(name.bytes().data()), name_size),
      .flags = entry.get<std::uint16_t>(8),
      .method = entry.get<std::uint16_t>(10),
      .crc = entry.get<std::uint32_t>(16),
      .packed_size = entry.get<std::uint32_t>(20),
      .size = entry.get<std::uint32_t>(24),
      .offset = entry.get<std::uint32_t>(42)};
  read_zip64(extra, member);
  offset += kEntrySize + name_size + extra_size + entry.get<std::uint16_t>(32);
  return member;
}

std::span<const std::byte> packed_bytes(std::span<const std::byte> archive,
                                        const ZipMember& member) {
  const Record local =
      signed_record(archive, member.offset, kLocalHeaderSize, kLocalHeader, "header of a member");
  const std::uint64_t data = member.offset + kLocalHeaderSize + local.get<std::uint16_t>(26) +
                             local.get<std::uint16_t>(28);
  return Record(archive, data, member.packed_size, "data of a member").bytes();
}

[[noreturn]] void refuse_method(std::uint16_t method) {
  const auto* const known =
      std::ranges::find(kMethodsNotRead, method, &decltype(kMethodsNotRead)::value_type::first);
  const std::string name =
      known == kMethodsNotRead.end() ? "" : fmt::format(" ({})", known->second);
  throw BadInput(fmt::format(
      "compression method {}{} is not read; expected 0 (stored) or 8 (deflated)", method, name));
}

std::vector<std::byte> unpack_member(std::span<const std::byte> packed, const ZipMember& member) {
  if (member.method == 8) return inflated(packed, static_cast<std::size_t>(member.size));
  if (member.method != 0) refuse_method(member.method);
  if (member.size != member.packed_size)
    throw BadInput(fmt::format("zip archive damaged: {} bytes are stored as {}", member.size,
                               member.packed_size));
  return {packed.begin(), packed.end()};
}

}  // namespace

bool is_zip(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return false;
  const auto signature = Record(bytes, 0, 4, "signature").get<std::uint32_t>(0);
  return signature == kLocalHeader || signature == kDirectoryEnd;
}

std::vector<ZipMember> zip_members(std::span<const std::byte> bytes) {
  const ZipDirectory directory = directory_of(bytes);
  std::vector<ZipMember> members;
  std::uint64_t offset = directory.offset;
  for (std::uint64_t m = 0; m < directory.members; ++m)
    members.push_back(take_member(bytes, offset));
  return members;
}

std::vector<std::byte> zip_content(std::span<const std::byte> bytes, const ZipMember& member) {
  if ((member.flags & kIsEncrypted) != 0) throw BadInput("is encrypted");
  std::vector<std::byte> content = unpack_member(packed_bytes(bytes, member), member);
  const auto crc = static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  if (crc != member.crc)
    throw BadInput(
        fmt::format("CRC mismatch: damaged; expected {:08x}, found {:08x}", member.crc, crc));
  return content;
}

}  // namespace toroid
