// Composes MRC/CCP4 maps byte by byte; words are counted from 1, as in the format's description.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/tools/files/bytes.hpp"

namespace toroid::testing {

/// The parts of a map; the defaults make a valid map.
struct MapParts {
  std::int32_t nx = 1;
  std::int32_t ny = 1;
  std::int32_t nz = 1;
  std::int32_t mode = 2;
  std::string elements;  ///< in the file's byte order
  bool big_endian = false;
  std::string extended_header = {};
  std::map<unsigned, std::int32_t> words = {};  ///< replace the words that the other parts give
  std::string mark = "MAP ";
  std::string stamp = {};  ///< empty for the stamp of the byte order
};

inline std::string map_bytes(const MapParts& parts) {
  std::string header(1024, '\0');
  const auto put = [&](unsigned word, std::int32_t value) {
    const auto bits = static_cast<std::uint32_t>(value);
    header.replace(4 * (word - 1), 4, parts.big_endian ? big(bits, 4) : little(bits, 4));
  };
  put(1, parts.nx), put(2, parts.ny), put(3, parts.nz), put(4, parts.mode);
  put(8, parts.nx), put(9, parts.ny), put(10, parts.nz);
  put(17, 1), put(18, 2), put(19, 3);
  put(23, 1);
  put(24, static_cast<std::int32_t>(parts.extended_header.size()));
  for (const auto& [word, value] : parts.words) put(word, value);
  header.replace(208, 4, parts.mark);
  const std::string stamp =
      parts.big_endian ? std::string("\x11\x11\0\0", 4) : std::string("\x44\x44\0\0", 4);
  header.replace(212, 4, parts.stamp.empty() ? stamp : parts.stamp);
  return header + parts.extended_header + parts.elements;
}

}  // namespace toroid::testing
