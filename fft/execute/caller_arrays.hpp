// Checks the caller's arrays before a transform, and scales the result after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"

namespace toroid::fft {

/// Number and type of the elements of a local array. As a requirement, it means at least this
/// number of elements, and exactly this type.
struct ArrayType {
  std::int64_t elements;
  bool real;  ///< false if complex
  Precision precision;
};

/// Throws BadInput if the array has fewer elements than required, has elements of another type, or
/// does not begin at a multiple of 16 bytes. If no elements are required, type and address do not
/// matter.
void check_array(const std::byte* data, const ArrayType& array, const ArrayType& required);

template <typename Byte>
void check_array(const BasicArray<Byte>& array, const ArrayType& required) {
  check_array(array.data, {static_cast<std::int64_t>(array.size), array.real, array.precision},
              required);
}

/// Whether two arrays share memory.
bool overlap(std::span<const std::byte> a, std::span<const std::byte> b);

/// Multiplies every number of an array.
void scale_array(std::span<std::byte> array, Precision precision, double factor);

}  // namespace toroid::fft
