#include "fft/plan/square_matrix.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "hal/check.hpp"

namespace toroid::fft {

SquareMatrix::SquareMatrix(std::string name, std::int64_t size,
                           const std::vector<std::complex<double>>& values)
    : name_(std::move(name)),
      size_(size),
      values_(values.begin(), values.end()),
      is_complex_(std::ranges::any_of(values, [](const auto& v) { return v.imag() != 0; })) {
  const auto n = static_cast<std::size_t>(size);
  if (size < 1 || values.size() % n != 0 || values.size() / n != n)
    throw BadInput(
        fmt::format("matrix {}: {} numbers, expected {} x {}", name_, values.size(), size, size));
  for (const std::complex<double>& value : values)
    if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
      throw BadInput(fmt::format("matrix {}: an element is not finite", name_));
}

const std::vector<SquareMatrix::Value>& SquareMatrix::inverse() const {
  const std::lock_guard lock(mutex_);
  if (inverse_.empty()) inverse_ = inverted();
  return inverse_;
}

std::int64_t SquareMatrix::pivot_row(const std::vector<Value>& rest, std::int64_t column) const {
  std::int64_t best = column;
  for (std::int64_t row = column + 1; row < size_; ++row)
    if (std::abs(rest[place(row, column)]) > std::abs(rest[place(best, column)])) best = row;
  return best;
}

void SquareMatrix::exchange_rows(std::vector<Value>& values, std::int64_t a, std::int64_t b) const {
  const auto begin = [&](std::int64_t row) {
    return values.begin() + static_cast<std::ptrdiff_t>(place(row, 0));
  };
  if (a != b) std::swap_ranges(begin(a), begin(a) + size_, begin(b));
}

namespace {

using Values = std::vector<SquareMatrix::Value>;

/// The power of two nearest below the largest absolute value of `count` elements; 0 if all are 0.
long double power_of_two(const SquareMatrix::Value* first, std::size_t count, std::size_t stride) {
  long double most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(first[i * stride]));
  return most == 0 ? 0 : std::ldexp(1.0L, std::ilogb(most));
}

/// Divides every row, then every column, by a power of two, so that the largest element of each
/// is from 1 to 2. Returns the divisors: of the rows first. A row or column of zeros has divisor 0
/// and is left alone.
std::vector<long double> equilibrate(Values& values, std::size_t n) {
  std::vector<long double> divisors(2 * n);
  for (const bool columns : {false, true})
    for (std::size_t line = 0; line < n; ++line) {
      const std::size_t begin = columns ? line : line * n;
      const std::size_t stride = columns ? n : 1;
      const long double divisor = power_of_two(&values[begin], n, stride);
      divisors[(columns ? n : 0) + line] = divisor;
      for (std::size_t i = 0; i < n && divisor != 0; ++i) values[begin + i * stride] /= divisor;
    }
  return divisors;
}

}  // namespace

/// Gauss-Jordan elimination: the steps that turn M into the identity turn the identity into the
/// inverse. It inverts the matrix of scaled rows and columns, R·M·C; the inverse is C·(R·M·C)^-1·R.
std::vector<SquareMatrix::Value> SquareMatrix::inverted() const {
  std::vector<Value> rest = values_;
  std::vector<Value> inverse(values_.size());
  const auto n = static_cast<std::size_t>(size_);
  const std::vector<long double> divisors = equilibrate(rest, n);
  for (std::int64_t row = 0; row < size_; ++row) inverse[place(row, row)] = 1;
  const long double least =
      static_cast<long double>(size_) * std::numeric_limits<double>::epsilon();
  for (std::int64_t column = 0; column < size_; ++column) {
    const std::int64_t pivot = pivot_row(rest, column);
    if (std::abs(rest[place(pivot, column)]) <= least)
      throw BadInput(fmt::format("matrix {} is singular: it has no inverse", name_));
    exchange_rows(rest, pivot, column);
    exchange_rows(inverse, pivot, column);
    const Value scale = Value(1) / rest[place(column, column)];
    for (std::vector<Value>* values : {&rest, &inverse})
      for (std::int64_t c = 0; c < size_; ++c) (*values)[place(column, c)] *= scale;
    for (std::int64_t row = 0; row < size_; ++row) {
      const Value factor = rest[place(row, column)];
      if (row == column || factor == Value(0)) continue;
      for (std::vector<Value>* values : {&rest, &inverse})
        for (std::int64_t c = 0; c < size_; ++c)
          (*values)[place(row, c)] -= factor * (*values)[place(column, c)];
    }
  }
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column)
      inverse[row * n + column] /= divisors[n + row] * divisors[column];
  return inverse;
}

}  // namespace toroid::fft
