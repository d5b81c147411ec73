// Values of options and machine files are within their limits, or are refused with messages of one
// line: shapes, failures, link errors, changes of a machine, numbers with units, and ranges. Input:
// one byte that selects the kind of value and the quantity of a machine, then the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/files/quantity.hpp"
#include "tools/text/numbers.hpp"

namespace toroid::fuzz::values {
namespace {

void read_shape(std::string_view text) {
  const Shape shape = Shape::parse(text);
  TOROID_CHECK(Shape::parse(shape.text()) == shape);
}

/// Reads failures: one link before the semicolon and one node after it.
void read_failures(std::string_view text) {
  static const Shape kShape = Shape::parse("4x3mx2");
  const std::size_t end = text.find(';');
  FailureList list;
  list.links = {std::string(text.substr(0, end))};
  if (end != text.npos) list.nodes = {std::string(text.substr(end + 1))};
  TOROID_CHECK_LE(Failures(kShape, list).living(), kShape.size());
}

void read_link_error(std::string_view text) {
  static const Shape kShape = Shape::parse("4x3mx2");
  LinkErrors errors;
  errors.rates = {parse_link_error(text)};
  for (const double rate : link_error_rates(kShape, errors))
    TOROID_CHECK(rate >= 0 && rate <= LinkErrors::kMostErrors);
}

/// Reads one or more KEY=VALUE after the name of a machine. A machine file written from the result
/// gives the same values.
void read_changes(std::string_view text) {
  const Machine machine = load_machine(std::string("bgl:").append(text));
  const Machine again = parse_machine(machine_text(machine), "written");
  TOROID_CHECK(again.name == machine.name);
  for (const MachineField& field : machine_fields())
    TOROID_CHECK_EQ(value_of(again, field), value_of(machine, field));
}

/// Reads the text as a single one of the machine's quantities, to save time: nearly every text is
/// refused, and each refusal is an exception, which is slow.
void read_quantity(unsigned which, std::string_view text) {
  static const std::vector<MachineField> kQuantities = [] {
    std::vector<MachineField> fields;
    std::ranges::copy_if(machine_fields(), std::back_inserter(fields),
                         [](const MachineField& field) { return !key_with_unit(field).empty(); });
    return fields;
  }();
  static const Machine kMachine;
  (void)parse_quantity(kMachine, kQuantities[which % kQuantities.size()], text);
}

void read_bytes(std::string_view text) {
  const ByteLimits limits{.min = 1, .max = 1 << 20};
  for (const std::uint64_t bytes : parse_byte_counts(text, limits))
    TOROID_CHECK(bytes >= limits.min && bytes <= limits.max);
}

void read_numbers(std::string_view text) {
  const NumberLimits limits{.min = 0, .max = 2};
  for (const double number : parse_numbers(text, limits))
    TOROID_CHECK(number >= limits.min && number <= limits.max);
}

void read_value(unsigned what, std::string_view text) {
  switch (what % 7) {
    case 0:
      return read_shape(text);
    case 1:
      return read_failures(text);
    case 2:
      return read_quantity(what / 7, text);
    case 3:
      return read_bytes(text);
    case 4:
      return read_link_error(text);
    case 5:
      return read_changes(text);
    default:
      return read_numbers(text);
  }
}

void try_input(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  read_or_refuse([&] { read_value(data[0], text); });
}

const Reader kReader("values", try_input);

}  // namespace
}  // namespace toroid::fuzz::values
