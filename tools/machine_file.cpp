#include "tools/machine_file.hpp"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "hal/check.hpp"

namespace toroid {
namespace {

[[noreturn]] void refuse(std::string_view origin, const toml::source_region& where,
                         std::string_view why) {
  throw BadInput(fmt::format("{}:{}: {}", origin, where.begin.line, why));
}

const MachineField* find_field(std::string_view key) {
  const auto fields = machine_fields();
  const auto found = std::ranges::find(fields, key, &MachineField::key);
  return found == fields.end() ? nullptr : &*found;
}

void apply(Machine& machine, std::string_view origin, std::string_view key,
           const toml::node& node) {
  if (key == "name") {
    const auto name = node.value_exact<std::string>();
    if (!name) refuse(origin, node.source(), "name must be a text");
    machine.name = *name;
    return;
  }
  const MachineField* field = find_field(key);
  if (field == nullptr)
    refuse(origin, node.source(),
           fmt::format("unknown key '{}'; `toroid info --machine bgl` lists the known", key));
  if (!node.is_number()) refuse(origin, node.source(), fmt::format("{} must be a number", key));
  try {
    set_value(machine, *field, *node.value<double>());
  } catch (const BadInput& error) {
    refuse(origin, node.source(), error.what());
  }
}

}  // namespace

Machine parse_machine(std::string_view text, std::string_view origin) {
  toml::table table;
  try {
    table = toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    refuse(origin, error.source(), error.description());
  }
  Machine machine;
  machine.name = origin;
  for (const auto& [key, node] : table) apply(machine, origin, key.str(), node);
  try {
    check_consistent(machine);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", origin, error.what()));
  }
  return machine;
}

Machine load_machine(const std::string& name_or_path) {
  if (name_or_path == "bgl") return {};
  std::ifstream file(name_or_path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file)
    throw BadInput(
        fmt::format("machine '{}' is neither 'bgl' nor a file that can be read", name_or_path));
  return parse_machine(text, name_or_path);
}

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::paper:
      return "volumetric FFT paper";
    case Origin::patent:
      return "patent";
    case Origin::ibm:
      return "IBM, published";
    case Origin::assumed:
      return "assumed";
  }
  return "";
}

std::string machine_text(const Machine& machine) {
  std::string text = fmt::format("name = \"{}\"\n", machine.name);
  for (const MachineField& field : machine_fields())
    text +=
        fmt::format("{:<25} = {:<10}  # {:<10} {:<20}  {}\n", field.key, value_of(machine, field),
                    field.unit, origin_name(field.origin), field.meaning);
  return text;
}

}  // namespace toroid
