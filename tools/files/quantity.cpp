#include "tools/files/quantity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <variant>
#include <vector>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "tools/text/numbers.hpp"

namespace toroid {
namespace {

/// A kind of quantity: its native unit, the suffix of its keys, and the units allowed in texts.
/// Factors of units count in the base unit, which is Hz, bit/s, B or s.
struct QuantityKind {
  std::string_view native;
  std::string_view suffix;
  std::span<const Unit> units;
  std::string_view example;
};

constexpr std::array kFrequencies = {Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6},
                                     Unit{"GHz", 1e9}};
constexpr std::array kRates = {Unit{"bit/s", 1},      Unit{"Mbit/s", 1e6}, Unit{"Gbit/s", 1e9},
                               Unit{"kB/s", 8e3},     Unit{"MB/s", 8e6},   Unit{"GB/s", 8e9},
                               Unit{"MiB/s", 8388608}};
constexpr std::array kTimes = {Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1}};

constexpr std::array kKinds = {QuantityKind{"Hz", "_hz", kFrequencies, "850 MHz"},
                               QuantityKind{"bit/cycle", "_bits_per_cycle", kRates, "2 GB/s"},
                               QuantityKind{"B", "_bytes", kByteUnits, "14 B"},
                               QuantityKind{"cycles", "_cycles", kTimes, "100 ns"},
                               QuantityKind{"chunks", "_chunks", kByteUnits, "1 KiB"}};

const QuantityKind* kind_of(const MachineField& field) {
  const auto* const found = std::ranges::find(kKinds, field.unit, &QuantityKind::native);
  return found != kKinds.end() && field.key.ends_with(found->suffix) ? found : nullptr;
}

/// Converts from the base unit to the native unit. A rate is divided by the clock: a product with
/// the clock's reciprocal is rounded twice, and 425 MB/s at 850 MHz would not be 4 bit/cycle.
double in_native_unit(const Machine& machine, const QuantityKind& kind, double base) {
  if (kind.native == "bit/cycle") return base / machine.clock_hz;
  if (kind.native == "cycles") return base * machine.clock_hz;
  return kind.native == "chunks" ? base / kChunkBytes : base;
}

double in_base_unit(const Machine& machine, const QuantityKind& kind, double native) {
  if (kind.native == "bit/cycle") return native * machine.clock_hz;
  if (kind.native == "cycles") return native / machine.clock_hz;
  return kind.native == "chunks" ? native * kChunkBytes : native;
}

[[noreturn]] void refuse(const MachineField& field, const QuantityKind& kind,
                         std::string_view text) {
  std::vector<std::string_view> names;
  for (const Unit& unit : kind.units) names.push_back(unit.name);
  throw BadInput(fmt::format("{} = \"{}\": expected a number and a unit ({}), e.g. \"{}\"",
                             key_with_unit(field), shortened(text), fmt::join(names, " "),
                             kind.example));
}

/// Returns the value of "100 ns" or "100ns" in the kind's base unit.
double parse_base(const MachineField& field, const QuantityKind& kind, std::string_view text) {
  const auto typed = parse_with_unit(text, std::chars_format::general);
  if (!typed) refuse(field, kind, text);
  const auto unit = std::ranges::find(kind.units, typed->unit, &Unit::name);
  if (unit == kind.units.end()) refuse(field, kind, text);
  return typed->number * unit->factor;
}

}  // namespace

std::string_view key_with_unit(const MachineField& field) {
  const QuantityKind* kind = kind_of(field);
  if (kind == nullptr) return {};
  return field.key.substr(0, field.key.size() - kind->suffix.size());
}

double parse_quantity(const Machine& machine, const MachineField& field, std::string_view text) {
  const QuantityKind& kind = *kind_of(field);
  const double native = in_native_unit(machine, kind, parse_base(field, kind, text));
  const bool whole = std::holds_alternative<unsigned Machine::*>(field.member);
  if (!whole) return native;
  if (kind.native != "cycles" && native != std::floor(native))
    throw BadInput(fmt::format("{} = \"{}\" is {} {}; expected a whole number",
                               key_with_unit(field), shortened(text), native, field.unit));
  return std::round(native);
}

std::string quantity_text(const Machine& machine, const MachineField& field) {
  const QuantityKind* kind = kind_of(field);
  if (kind == nullptr || kind->native == "B") return {};
  const double base = in_base_unit(machine, *kind, value_of(machine, field));
  const std::string_view usual = kind->native == "Hz"          ? "MHz"
                                 : kind->native == "bit/cycle" ? "MB/s"
                                 : kind->native == "cycles"    ? "ns"
                                                               : "B";
  const auto unit = std::ranges::find(kind->units, usual, &Unit::name);
  return fmt::format("{:.4g} {}", base / unit->factor, unit->name);
}

}  // namespace toroid
