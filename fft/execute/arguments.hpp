// What a call of a plan does with the caller's arrays by themselves: it checks them before the
// transform and scales the result after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"

namespace toroid::fft {

/// How many elements of which type a local array has, or must have at least.
struct ArrayType {
  std::int64_t elements;
  bool real;  ///< else complex
  Precision precision;
};

/// Throws BadInput if the array has fewer elements than required, elements of another type, or does
/// not begin at a multiple of 16 bytes. Type and address of an array that needs no element do not
/// matter.
void check_array(const std::byte* data, const ArrayType& array, const ArrayType& required);

template <typename Byte>
void check_array(const BasicArray<Byte>& array, const ArrayType& required) {
  check_array(array.data, {static_cast<std::int64_t>(array.size), array.real, array.precision},
              required);
}

/// Whether two arrays share memory.
bool overlap(std::span<const std::byte> a, std::span<const std::byte> b);

/// Multiplies every number of an array by what `scale` asks for. `points` is N.
void scale_array(std::span<std::byte> array, Precision precision, Scale scale, double points);

}  // namespace toroid::fft
