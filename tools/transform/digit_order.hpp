// Digit order: the order of the frequencies along an axis that is transformed by factors.
#pragma once

#include "fft/plan/blueprint.hpp"
#include "tools/files/host_array.hpp"

namespace toroid {

/// Whether forward leaves the frequencies of at least one axis in digit order; see
/// fft/orbital/factors.hpp.
bool is_by_digits(const fft::Blueprint& blueprint);

/// from_digits() converts a spectrum from digit order to the natural order of frequencies;
/// to_digits() does the opposite.
HostArray from_digits(const fft::Blueprint& blueprint, const HostArray& spectrum);
HostArray to_digits(const fft::Blueprint& blueprint, const HostArray& spectrum);

}  // namespace toroid
