// A machine that parse_machine() accepts does not change when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/files/machine_file.hpp"

namespace toroid::fuzz::machine {
namespace {

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    const Machine machine = parse_machine(text, "input");
    const Machine again = parse_machine(machine_text(machine), "written");
    TOROID_CHECK_EQ(again.name, machine.name);
    for (const MachineField& field : machine_fields())
      TOROID_CHECK_EQ(value_of(again, field), value_of(machine, field));
  });
}

const Reader kReader("machine", try_input);

}  // namespace
}  // namespace toroid::fuzz::machine
