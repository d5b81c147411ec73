#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <ios>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/npy/header.hpp"
#include "tools/files/npy/items.hpp"
#include "tools/files/npy/npy.hpp"

namespace toroid {
namespace {

using npy::Complex;

constexpr std::size_t kBlock = 65536;  // elements converted at a time

static_assert(std::endian::native == std::endian::little, "elements are written as they are");

/// Calls `f` with a value of the file's C++ type.
template <class F>
decltype(auto) with_item(NpyType type, F f) {
  switch (type) {
    case NpyType::f4:
      return f(float());
    case NpyType::f8:
      return f(double());
    case NpyType::c8:
      return f(std::complex<float>());
    case NpyType::c16:
      break;
  }
  return f(Complex());
}

template <class Item>
Item narrowed(const Complex& value) {
  if constexpr (std::is_floating_point_v<Item>) {
    return static_cast<Item>(value.real());
  } else {
    using Part = typename Item::value_type;
    return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
  }
}

template <class Item>
void write_items(std::ostream& out, std::span<const Complex> values) {
  std::vector<Item> block(std::min(kBlock, values.size()));
  while (!values.empty() && out) {
    const std::span<const Complex> now = values.first(std::min(kBlock, values.size()));
    std::ranges::transform(now, block.begin(), narrowed<Item>);
    out.write(reinterpret_cast<const char*>(block.data()),
              static_cast<std::streamsize>(now.size() * sizeof(Item)));
    values = values.subspan(now.size());
  }
}

}  // namespace

void write_npy(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const std::complex<double>> values, NpyType type, bool fortran_order) {
  TOROID_CHECK_LE(shape.size(), kMaxNpyDimensions);
  TOROID_CHECK_EQ(npy::element_count(shape, 1), values.size());
  const std::string header = npy::header_text(shape, type, fortran_order);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  std::vector<Complex> reversed;
  if (fortran_order) {
    reversed = npy::reverse_axes(shape, [values](std::size_t i) { return values[i]; });
    values = reversed;
  }
  with_item(type, [&](auto zero) { write_items<decltype(zero)>(out, values); });
}

}  // namespace toroid
