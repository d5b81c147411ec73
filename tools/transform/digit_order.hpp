// Frequencies of axes that are transformed by factors, which lie by digits on the nodes.
#pragma once

#include "fft/plan/blueprint.hpp"
#include "tools/files/array_io.hpp"

namespace toroid {

/// Whether forward leaves the frequencies of an axis by digits; see fft/orbital/factors.hpp.
bool is_by_digits(const fft::Blueprint& blueprint);

/// A spectrum with its frequencies in their natural order, from one by digits; and back.
HostArray from_digits(const fft::Blueprint& blueprint, const HostArray& spectrum);
HostArray to_digits(const fft::Blueprint& blueprint, const HostArray& spectrum);

}  // namespace toroid
