// Reads and writes numbers of a machine file with their units: "100 ns", "2 GB/s", "1 KiB".
#pragma once

#include <string>
#include <string_view>

#include "hal/machine.hpp"

namespace toroid {

/// The key under which a field takes a text with a unit: its own without the unit's suffix, e.g.
/// "hop_latency" for "hop_latency_cycles". Empty where the field has no unit.
std::string_view key_with_unit(const MachineField& field);

/// The field's value, in its native unit, that a text such as "100 ns" stands for on this machine:
/// times are in cycles of its clock. Whole numbers of cycles are rounded to the nearest. Throws
/// BadInput with what was expected. REQUIRES: the field has a unit.
double parse_quantity(const Machine& machine, const MachineField& field, std::string_view text);

/// The field's value in such a text: "40 ns" for 64 cycles of 1.6 GHz. Empty where it has no unit.
std::string quantity_text(const Machine& machine, const MachineField& field);

}  // namespace toroid
