// The hash over everything of a result but wall-clock figures.
#pragma once

#include <fmt/core.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hal/random.hpp"

namespace toroid {

/// Hashes what is added, in that order. Equal on every machine: numbers are added by their bits.
class ResultHash {
 public:
  void add(std::uint64_t word) { state_ = mix64(state_ * 3 + word); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::span<const std::complex<double>> values) {
    for (const auto& value : values) {
      add(value.real());
      add(value.imag());
    }
  }
  void add(std::string_view words) {
    for (const char c : words) add(std::uint64_t{static_cast<unsigned char>(c)});
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace toroid
