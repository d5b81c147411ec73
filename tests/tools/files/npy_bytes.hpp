// Composes NumPy's .npy files byte by byte, and makes arrays for them.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "tools/files/npy.hpp"

namespace toroid::testing {

using Complex = std::complex<double>;
using Extents = std::vector<std::size_t>;

/// The bytes of the values as in memory.
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T& value : values) {
    const auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    bytes.append(raw.begin(), raw.end());
  }
  return bytes;
}

/// A file with this data and this header, without padding.
inline std::string file_of(const std::string& header, const std::string& data, char major = 1) {
  std::string file = std::string("\x93NUMPY") + major + '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  if (major > 1) file.append(2, '\0');
  return file + header + data;
}

inline std::string header_of(const std::string& dtype, const std::string& shape,
                             const std::string& order = "False") {
  return "{'descr': '" + dtype + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

inline NpyArray parsed(const std::string& file) {
  // Exactly as long as the file, so that a sanitizer detects reads beyond its end.
  const std::vector<char> exact(file.begin(), file.end());
  return parse_npy(std::as_bytes(std::span(exact)), "a.npy");
}

/// The bytes that write_npy() writes.
inline std::string written(const Extents& shape, const std::vector<Complex>& values,
                           NpyType type = NpyType::c16, bool fortran_order = false) {
  std::ostringstream out;
  write_npy(out, shape, values, type, fortran_order);
  return out.str();
}

/// Element i is i - i/2 j.
inline std::vector<Complex> counted(std::size_t count) {
  std::vector<Complex> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.emplace_back(static_cast<double>(i), -0.5 * static_cast<double>(i));
  }
  return values;
}

}  // namespace toroid::testing
