// A node's local array: aligned for vector instructions, not initialised.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

namespace toroid {

using Complex = std::complex<double>;

class LocalArray {
 public:
  static constexpr std::size_t kAlignment = 64;  ///< bytes, at least

  /// Nothing is written: whoever fills the array touches its pages first, and so has them near.
  explicit LocalArray(std::size_t elements);

  /// For elements of another type, fetched with as(): room for so many bytes.
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

}  // namespace toroid
