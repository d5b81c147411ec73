// Checks of a description, before anything is allocated. Messages name the field, its value, and
// what is possible.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>

#include "fft/plan/description.hpp"
#include "hal/check.hpp"

namespace toroid::fft {

/// Throws BadInput unless the value is one of an enumeration's, whose names are `names`.
template <typename Choice, std::size_t kCount>
void check_choice(std::string_view field, Choice choice,
                  const std::array<std::string_view, kCount>& names) {
  const auto number = static_cast<std::size_t>(choice);
  if (number >= kCount)
    throw BadInput(
        fmt::format("{} is the number {}; expected {}", field, number, fmt::join(names, ", ")));
}

/// Throws BadInput unless every field has a possible value by itself, whether or not the method
/// uses it.
void check_fields(const Description& description);

/// Throws BadInput unless the fields fit each other and the method. REQUIRES: check_fields() has
/// found no fault.
void check_method(const Description& description);

}  // namespace toroid::fft
