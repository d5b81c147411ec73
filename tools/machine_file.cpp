#include "tools/machine_file.hpp"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "hal/check.hpp"

namespace toroid {
namespace {

[[noreturn]] void refuse(std::string_view origin, const toml::source_region& where,
                         std::string_view why) {
  throw BadInput(fmt::format("{}:{}: {}", origin, where.begin.line, why));
}

/// As TOML writes a text.
std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      quoted += fmt::format("\\u{:04x}", code);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// Empty: it cannot be read.
std::optional<std::string> read_text(const std::string& path) {
  constexpr std::size_t kLongest = 1 << 20;  // bytes; a device may be endless
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLongest)
    throw BadInput(fmt::format("{}: longer than the {} bytes of any machine file", path, kLongest));
  return text;
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
    // An integer that no double can be is beyond every range.
    constexpr double kBeyond = std::numeric_limits<double>::infinity();
    set_value(machine, *field, node.value<double>().value_or(kBeyond));
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
  const std::optional<std::string> text = read_text(name_or_path);
  if (!text)
    throw BadInput(
        fmt::format("machine '{}' is neither 'bgl' nor a file that can be read", name_or_path));
  return parse_machine(*text, name_or_path);
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
  std::string text = fmt::format("name = {}\n", quoted(machine.name));
  for (const MachineField& field : machine_fields())
    text +=
        fmt::format("{:<25} = {:<10}  # {:<10} {:<20}  {}\n", field.key, value_of(machine, field),
                    field.unit, origin_name(field.origin), field.meaning);
  return text;
}

}  // namespace toroid
