// Memory for a node's part of an array.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

namespace toroid::fft {

using Complex = std::complex<double>;

/// A local array, aligned for vector instructions. It is not initialised, so that the thread that
/// fills it touches its pages first and the system places them near that thread.
class LocalArray {
 public:
  explicit LocalArray(std::size_t elements);

  /// An array for `bytes` bytes of elements of another type. as() returns a pointer to them.
  static LocalArray of_bytes(std::size_t bytes) {
    return LocalArray((bytes + sizeof(Complex) - 1) / sizeof(Complex));
  }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data());
  }

  Complex* data() { return data_.get(); }
  const Complex* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  operator std::span<Complex>() { return {data(), size_}; }
  operator std::span<const Complex>() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(Complex* data) const;
  };
  std::size_t size_;
  std::unique_ptr<Complex, Free> data_;
};

}  // namespace toroid::fft
