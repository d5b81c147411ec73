// A user-defined matrix that transforms an axis.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace toroid::fft {

/// A matrix M of N x N finite numbers: y = M·x along an axis of N points. Immutable; any number of
/// threads may share it.
class SquareMatrix {
 public:
  using Value = std::complex<long double>;

  /// `values`: row by row. `name` identifies the matrix in messages, e.g. a file name. Throws
  /// BadInput unless there are size x size finite numbers.
  SquareMatrix(std::string name, std::int64_t size,
               const std::vector<std::complex<double>>& values);

  const std::string& name() const { return name_; }
  std::int64_t size() const { return size_; }
  /// Whether the other matrix has the same elements.
  bool operator==(const SquareMatrix& other) const {
    return size_ == other.size_ && values_ == other.values_;
  }
  /// Whether any element has a non-zero imaginary part.
  bool is_complex() const { return is_complex_; }
  Value at(std::int64_t row, std::int64_t column) const { return values_[place(row, column)]; }
  /// An element of the inverse matrix. The first call computes the inverse. Throws BadInput if M is
  /// singular in double precision: after rows and columns have been scaled to a largest element of
  /// about 1, a pivot of the elimination is at most N·2^-52.
  Value inverse_at(std::int64_t row, std::int64_t column) const {
    return inverse()[place(row, column)];
  }

 private:
  std::size_t place(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * size_ + column);
  }
  const std::vector<Value>& inverse() const;
  std::vector<Value> inverted() const;
  /// Among the rows from row `column` on, the one with the largest element in that column.
  std::int64_t pivot_row(const std::vector<Value>& rest, std::int64_t column) const;
  void exchange_rows(std::vector<Value>& values, std::int64_t a, std::int64_t b) const;

  std::string name_;
  std::int64_t size_;
  std::vector<Value> values_;
  bool is_complex_;
  mutable std::mutex mutex_;
  mutable std::vector<Value> inverse_{};  ///< empty until first used; guarded by mutex_
};

}  // namespace toroid::fft
