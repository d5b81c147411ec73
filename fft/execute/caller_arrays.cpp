#include "fft/execute/caller_arrays.hpp"

#include <fmt/core.h>

#include <functional>

#include "hal/check.hpp"

namespace toroid::fft {
namespace {

template <typename Real>
void multiply(std::span<std::byte> array, double factor) {
  const std::span numbers(reinterpret_cast<Real*>(array.data()), array.size() / sizeof(Real));
  for (Real& number : numbers) number *= static_cast<Real>(factor);
}

}  // namespace

void check_array(const std::byte* data, const ArrayType& array, const ArrayType& required) {
  if (array.elements < required.elements)
    throw BadInput(fmt::format("a local array has {} elements; expected at least {}",
                               array.elements, required.elements));
  if (required.elements == 0) return;
  if (array.real != required.real || array.precision != required.precision)
    throw BadInput("a local array's element type differs from the plan's");
  if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0)
    throw BadInput("a local array must begin at a multiple of 16 bytes");
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<const std::byte*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

void scale_array(std::span<std::byte> array, Precision precision, double factor) {
  if (precision == Precision::single)
    multiply<float>(array, factor);
  else
    multiply<double>(array, factor);
}

}  // namespace toroid::fft
