#include "tools/array_io.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fft/npy.hpp"
#include "hal/random.hpp"

namespace toroid {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;

void check_size(const Index& size, const std::string& what) {
  std::int64_t volume = 1;
  for (const std::int64_t n : size) {
    if (n < 1)
      throw BadInput(fmt::format("{}: an extent below 1 leaves nothing to transform", what));
    if (n > kMaxElements / volume)
      throw BadInput(fmt::format("{}: more than {} elements", what, kMaxElements));
    volume *= n;
  }
}

void check_finite(std::span<const Complex> values, const std::string& path) {
  const auto is_finite = [](const Complex& value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  };
  const auto found = std::ranges::find_if_not(values, is_finite);
  if (found != values.end())
    throw BadInput(fmt::format("{}: element {} in C order is not finite", path,
                               std::distance(values.begin(), found)));
}

/// visit(global offset, local offset, length) for every row along the last axis.
template <typename Visit>
void for_each_row(const Index& size, const NodeLayout& layout, const Visit& visit) {
  for (const Box& box : layout.boxes())
    for (std::int64_t i = box.lo[0]; i < box.hi[0]; ++i)
      for (std::int64_t j = box.lo[1]; j < box.hi[1]; ++j)
        visit((i * size[1] + j) * size[2] + box.lo[2], layout.offset({i, j, box.lo[2]}),
              box.length(2));
}

}  // namespace

Index parse_size(const std::string& text) {
  const auto refuse = [&text] {
    throw BadInput(fmt::format("'{}' is not a size; expected 64x64x64, or 64 for a cube", text));
  };
  Index size{};
  unsigned axes = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    const auto [next, error] = std::from_chars(at, end, size[axes++]);
    if (error != std::errc()) refuse();
    at = next;
    if (at == end) break;
    if (*at != 'x' || axes == size.size()) refuse();
  }
  if (axes == 1) size[1] = size[2] = size[0];
  if (axes == 2) refuse();
  check_size(size, fmt::format("size '{}'", text));
  return size;
}

HostArray load_array(const std::string& path) {
  NpyArray file = read_npy(path);
  if (file.shape.size() != 3)
    throw BadInput(fmt::format("{}: has {} dimensions; expected 3", path, file.shape.size()));
  HostArray array;
  for (unsigned a = 0; a < 3; ++a) array.size[a] = static_cast<std::int64_t>(file.shape[a]);
  check_size(array.size, path);
  array.values = std::move(file.values);
  check_finite(array.values, path);
  return array;
}

HostArray random_array(const Index& size, std::uint64_t seed) {
  HostArray array{size,
                  std::vector<Complex>(static_cast<std::size_t>(size[0] * size[1] * size[2]))};
  Random random(seed);
  const auto uniform = [&random] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  for (Complex& value : array.values) {
    const double real = uniform();
    value = {real, uniform()};
  }
  return array;
}

void take_part(const HostArray& whole, const NodeLayout& layout, std::span<Complex> part) {
  for_each_row(whole.size, layout, [&](std::int64_t global, std::int64_t local, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      part[static_cast<std::size_t>(local + i * layout.stride(2))] =
          whole.values[static_cast<std::size_t>(global + i)];
  });
}

void put_part(HostArray& whole, const NodeLayout& layout, std::span<const Complex> part) {
  for_each_row(whole.size, layout, [&](std::int64_t global, std::int64_t local, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      whole.values[static_cast<std::size_t>(global + i)] =
          part[static_cast<std::size_t>(local + i * layout.stride(2))];
  });
}

ArrayError compare(std::span<const Complex> a, std::span<const Complex> b) {
  CHECK_EQ(a.size(), b.size());
  double largest = 0;  // by which all is divided, so that no square is too large or too small
  for (const Complex& value : b) largest = std::max(largest, std::abs(value));
  const double unit = largest > 0 ? largest : 1;
  double difference = 0;
  double norm = 0;
  ArrayError error;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error.max = std::max(error.max, std::abs(a[i] - b[i]));
    difference += std::norm((a[i] - b[i]) / unit);
    norm += std::norm(b[i] / unit);
  }
  error.l2 = norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
  return error;
}

}  // namespace toroid
