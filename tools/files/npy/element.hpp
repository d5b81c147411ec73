// The element types of .npy files: their names (dtypes) and the conversion of their bytes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace toroid::npy {

/// The type by which one number is read.
enum class Number : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,   ///< IEEE 754 binary16
  float32,   ///< IEEE 754 binary32
  float64,   ///< IEEE 754 binary64
  extended,  ///< x87's 80 bits in 16 bytes, `long double` on machines that have it
};

/// The format of one element: a number, or the real and the imaginary part of a complex one.
struct ElementFormat {
  std::string_view code;    ///< as in a dtype, without the byte order
  Number number;            ///< the type of each part
  std::size_t number_size;  ///< bytes
  std::size_t numbers;      ///< 1 or 2
  bool is_swapped = false;  ///< the file's byte order is not this machine's

  std::size_t size() const { return number_size * numbers; }  ///< bytes
};

/// The format that a dtype such as "<f4" or "|b1" names. Throws BadInput that lists the dtypes that
/// are read.
ElementFormat format_of(std::string_view dtype);

/// Converts the elements of `data`, an array of `shape` in C or Fortran order; the result is in C
/// order. Integers of more than 53 bits and extended floats are rounded to the nearest double.
/// REQUIRES: data.size() is a multiple of format.size().
std::vector<std::complex<double>> decode(std::span<const std::byte> data,
                                         std::span<const std::size_t> shape, bool fortran_order,
                                         const ElementFormat& format);

}  // namespace toroid::npy
