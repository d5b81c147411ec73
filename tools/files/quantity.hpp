// Reads and writes a machine file's quantities with units: "100 ns", "2 GB/s", "1 KiB".
#pragma once

#include <string>
#include <string_view>

#include "hal/machine.hpp"

namespace toroid {

/// The key for a field's value as a text with a unit: the field's key without the suffix, e.g.
/// "hop_latency" for "hop_latency_cycles". Empty if the field has no unit.
std::string_view key_with_unit(const MachineField& field);

/// Converts a text such as "100 ns" to the field's native unit; times become cycles of this
/// machine's clock. Fields that hold a whole number of cycles are rounded to the nearest. Throws
/// BadInput with what was expected. REQUIRES: the field has a unit.
double parse_quantity(const Machine& machine, const MachineField& field, std::string_view text);

/// The field's value as a text with a unit: "40 ns" for 64 cycles of 1.6 GHz. Empty if the field
/// has no unit or is in bytes.
std::string quantity_text(const Machine& machine, const MachineField& field);

}  // namespace toroid
