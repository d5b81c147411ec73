#include "tools/files/machine_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/files/parse_toml.hpp"
#include "tools/files/quantity.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/safe_toml.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

[[noreturn]] void refuse(std::string_view origin, const toml::source_region& where,
                         std::string_view why) {
  throw BadInput(one_line(fmt::format("{}:{}: {}", origin, where.begin.line, why)));
}

/// The text as a TOML string. Texts of machines have no control characters.
std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// The field with this key, which may include or omit the unit; null if there is none.
const MachineField* find_field(std::string_view key) {
  const auto fields = machine_fields();
  const auto found = std::ranges::find_if(fields, [&](const MachineField& f) {
    return f.key == key || (!key.empty() && key_with_unit(f) == key);
  });
  return found == fields.end() ? nullptr : &*found;
}

std::string unknown_key(std::string_view key) {
  std::vector<std::string> forms;
  for (const MachineField& f : machine_fields()) {
    forms.emplace_back(f.key);
    forms.emplace_back(key_with_unit(f));
  }
  std::erase(forms, std::string());
  const std::vector<std::string_view> known(forms.begin(), forms.end());
  const std::string meant = did_you_mean(key, known);
  return fmt::format("unknown key '{}'{} `toroid info --machine bgl` lists all keys",
                     shortened(key), meant.empty() ? ";" : meant);
}

/// Whether the field is the clock. It is set first, since times and rates depend on it.
bool is_clock(const MachineField* field) {
  return field == &machine_fields().front();
}

/// Reads a machine file's table, key by key.
class Reader {
 public:
  Reader(const toml::table& table, std::string_view origin) : table_(table), origin_(origin) {
    machine_.name = origin;
    for (const auto& [key, node] : table)
      if (is_clock(find_field(key.str()))) set(key.str(), node);
    for (const auto& [key, node] : table)
      if (!is_clock(find_field(key.str()))) apply(key.str(), node);
  }
  const Machine& machine() const { return machine_; }

 private:
  [[noreturn]] void refuse(const toml::node& node, std::string_view why) const {
    toroid::refuse(origin_, node.source(), why);
  }

  void apply(std::string_view key, const toml::node& node) {
    if (key == "name") {
      machine_.name = text(key, node);
    } else if (key == "sources") {
      if (!node.is_table()) refuse(node, "sources must be a table");
      for (const auto& [name, source] : *node.as_table())
        machine_.sources[std::string(field(name.str(), source).key)] = text(name.str(), source);
    } else {
      set(key, node);
    }
  }

  std::string text(std::string_view key, const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    if (!text) refuse(node, fmt::format("{} must be a text", key));
    if (has_control_characters(*text))  // it is printed, perhaps on a terminal
      refuse(node, fmt::format("{} must be a text without control characters", key));
    return *text;
  }

  const MachineField& field(std::string_view key, const toml::node& node) const {
    if (const MachineField* field = find_field(key)) return *field;
    refuse(node, unknown_key(key));
  }

  /// Calls `read`. If it throws BadInput, adds file and line to the message.
  template <typename Read>
  auto placed(const toml::node& node, const Read& read) const {
    try {
      return read();
    } catch (const BadInput& error) {
      refuse(node, error.what());
    }
  }

  void set(std::string_view key, const toml::node& node) {
    const MachineField& field = this->field(key, node);
    if (key != field.key && table_.contains(field.key))
      refuse(node, fmt::format("{} sets the same parameter as {}", key, field.key));
    const double number = value(key, field, node);
    placed(node, [&] { set_value(machine_, field, number); });
  }

  double value(std::string_view key, const MachineField& field, const toml::node& node) const {
    if (key != field.key) {
      if (!node.is_string())
        refuse(node, fmt::format("{} must be a text with a unit; for a number of {} use {}", key,
                                 field.unit, field.key));
      const std::string quantity = text(key, node);
      return placed(node, [&] { return parse_quantity(machine_, field, quantity); });
    }
    if (!node.is_number()) refuse(node, fmt::format("{} must be a number", key));
    // An integer beyond the range of doubles is beyond every field's range.
    return node.value<double>().value_or(std::numeric_limits<double>::infinity());
  }

  const toml::table& table_;
  std::string_view origin_;
  Machine machine_;
};

}  // namespace

Machine parse_machine(std::string_view text, std::string_view origin) {
  const toml::table table = parse_toml(text, origin);
  const Machine machine = Reader(table, origin).machine();
  try {
    check_consistent(machine);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", origin, error.what()));
  }
  return machine;
}

namespace {

Machine named_machine(const std::string& name_or_path) {
  if (name_or_path == "bgl") return {};
  for (const MachinePreset& preset : machine_presets())
    if (preset.name == name_or_path) return parse_machine(preset.text, preset.name);
  std::vector<std::string_view> names{"bgl"};
  for (const MachinePreset& preset : machine_presets()) names.push_back(preset.name);
  constexpr std::size_t kLongest = 1 << 20;  // bytes
  const std::optional<std::string> text = try_read_text(name_or_path, kLongest);
  if (!text)
    throw BadInput(fmt::format("machine '{}' is neither a preset ({}) nor a readable file ({}){}",
                               name_or_path, fmt::join(names, ", "),
                               std::generic_category().message(errno),
                               did_you_mean(name_or_path, names)));
  return parse_machine(*text, name_or_path);
}

/// The position of the first change: a colon followed by a key and '='. Other colons belong to the
/// path.
std::size_t changes_begin(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  for (std::size_t colon = name.find(':'); colon != name.npos; colon = name.find(':', colon + 1)) {
    const std::size_t end = name.find_first_not_of(kLetters, colon + 1);
    if (end != name.npos && end > colon + 1 && name[end] == '=') return colon;
  }
  return name.npos;
}

/// "key=value": the value is a number or, if the key omits the unit, a quantity with a unit.
struct Change {
  std::string key;
  std::string value;
  const MachineField* field;
};

Change parse_change(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string key = text.substr(0, equals);
  const MachineField* const field = find_field(key);
  if (field == nullptr) throw BadInput(unknown_key(key));
  return {key, text.substr(std::min(equals + 1, text.size())), field};
}

/// The changes of "key=value:key=value", with the clock's first. Throws BadInput if two of them
/// change the same field.
std::vector<Change> parse_changes(const std::string& text) {
  std::vector<Change> changes;
  for (const std::string& one : split(text, ':')) {
    const Change change = parse_change(one);
    const auto said = std::ranges::find(changes, change.field, &Change::field);
    if (said != changes.end())
      throw BadInput(said->key == change.key
                         ? fmt::format("{} is given twice", change.key)
                         : fmt::format("{} sets the same parameter as {}", change.key, said->key));
    changes.insert(is_clock(change.field) ? changes.begin() : changes.end(), change);
  }
  return changes;
}

void apply(Machine& machine, const Change& change) {
  const auto& [key, value, field] = change;
  const std::optional<double> number =
      key == field->key ? parse_number<double>(value) : parse_quantity(machine, *field, value);
  if (!number) throw BadInput(fmt::format("{} must be a number, not '{}'", key, shortened(value)));
  set_value(machine, *field, *number);
  machine.sources[std::string(field->key)] = "command line";
}

}  // namespace

Machine load_machine(const std::string& text) {
  if (has_control_characters(text))  // it may become the machine's name, which is printed
    throw BadInput(fmt::format("machine '{}': expected a name or path without control characters",
                               shortened(text)));
  const std::size_t begin = changes_begin(text);
  Machine machine = named_machine(text.substr(0, begin));
  if (begin == text.npos) return machine;
  machine.name = text;
  try {
    for (const Change& change : parse_changes(text.substr(begin + 1))) apply(machine, change);
    check_consistent(machine);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("machine '{}': {}", text, error.what()));
  }
  return machine;
}

std::vector<std::string_view> changed_keys(const std::string& text) {
  const std::size_t begin = changes_begin(text);
  std::vector<std::string_view> keys;
  if (begin != text.npos)
    for (const Change& change : parse_changes(text.substr(begin + 1)))
      keys.push_back(change.field->key);
  return keys;
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

std::string source_of(const Machine& machine, const MachineField& field) {
  if (const auto said = machine.sources.find(field.key); said != machine.sources.end())
    return said->second;
  if (value_of(machine, field) == value_of(Machine{}, field))
    return std::string(origin_name(field.origin));
  return "machine file";
}

std::string machine_text(const Machine& machine) {
  std::string text = fmt::format("name = {}\n", toml_string(machine.name));
  for (const MachineField& field : machine_fields())
    text += fmt::format("{:<25} = {:<10}  # {:<10} {:<12} {:<20}  {}\n", field.key,
                        value_of(machine, field), field.unit, quantity_text(machine, field),
                        source_of(machine, field), field.meaning);
  if (!machine.sources.empty()) text += "\n[sources]\n";
  for (const auto& [key, source] : machine.sources)
    text += fmt::format("{} = {}\n", key, toml_string(source));
  return text;
}

}  // namespace toroid
