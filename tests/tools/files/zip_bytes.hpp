// Composes zip archives byte by byte, according to the format's description.
#pragma once

#include <zconf.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/tools/files/bytes.hpp"

namespace toroid::testing {

/// The parts of an archive's member; everything else follows from its content.
struct ZipPart {
  std::string name;
  std::string content;
  bool is_deflated = false;
  bool is_zip64 = false;  ///< sizes and offset in extra fields, as NumPy writes large members
  int method = -1;        ///< compression method in the header; -1 for the real one
  std::uint16_t flags = 0;
  std::uint32_t crc_change = 0;  ///< mask of wrong bits in the CRC
  std::int64_t size_change = 0;  ///< added to the size in the headers
};

inline std::string deflated(const std::string& content, int window_bits = -MAX_WBITS) {
  z_stream stream{};
  if (::deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2 failed");
  std::string packed(::deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

inline std::string gzipped(const std::string& content) {
  return deflated(content, MAX_WBITS + 16);
}

/// The fields that a local header and a directory entry have in common: from the version to the
/// length of the name.
inline std::string zip_fields(const ZipPart& part, const std::string& packed) {
  const auto crc = static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(part.content.data()), part.content.size()));
  const int method = part.method >= 0 ? part.method : part.is_deflated ? 8 : 0;
  const auto size = part.content.size() + static_cast<std::uint64_t>(part.size_change);
  return little(part.is_zip64 ? 45 : 20, 2) + little(part.flags, 2) +
         little(static_cast<std::uint64_t>(method), 2) + little(0, 4) +
         little(crc ^ part.crc_change, 4) + little(part.is_zip64 ? ~0U : packed.size(), 4) +
         little(part.is_zip64 ? ~0U : size, 4) + little(part.name.size(), 2);
}

inline std::string zip_bytes(const std::vector<ZipPart>& parts, const std::string& comment = "") {
  std::string file, directory;
  bool is_zip64 = false;
  for (const ZipPart& part : parts) {
    const std::string packed = part.is_deflated ? deflated(part.content) : part.content;
    const std::string fields = zip_fields(part, packed);
    const std::string sizes = little(part.content.size(), 8) + little(packed.size(), 8);
    const std::string local_extra = part.is_zip64 ? little(1, 2) + little(16, 2) + sizes : "";
    const std::string extra = part.is_zip64
                                  ? little(0x5455, 2) + little(1, 2) + "t" + little(1, 2) +
                                        little(24, 2) + sizes + little(file.size(), 8)
                                  : "";
    directory += "PK\1\2" + little(20, 2) + fields + little(extra.size(), 2) + little(0, 2) +
                 little(0, 2) + little(0, 2) + little(0, 4) +
                 little(part.is_zip64 ? ~0U : file.size(), 4) + part.name + extra;
    file += "PK\3\4" + fields + little(local_extra.size(), 2) + part.name + local_extra + packed;
    is_zip64 |= part.is_zip64;
  }
  const std::size_t at = file.size();
  file += directory;
  const std::size_t end64 = file.size();
  if (is_zip64)
    file += "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) +
            little(parts.size(), 8) + little(parts.size(), 8) + little(directory.size(), 8) +
            little(at, 8) + "PK\6\7" + little(0, 4) + little(end64, 8) + little(1, 4);
  const std::uint64_t count = is_zip64 ? 0xffff : parts.size();
  return file + "PK\5\6" + little(0, 4) + little(count, 2) + little(count, 2) +
         little(directory.size(), 4) + little(is_zip64 ? ~0U : at, 4) + little(comment.size(), 2) +
         comment;
}

}  // namespace toroid::testing
