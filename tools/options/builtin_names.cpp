#include "tools/options/builtin_names.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <sstream>
#include <vector>

#include "hal/send_order.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr std::size_t kNameColumn = 24;

/// A name and a short description of what it names.
struct KnownName {
  std::string name;
  std::string about;
};
using KnownNames = std::vector<KnownName>;

/// The first sentence of a machine file's comment. It ends at a full stop followed by a capital.
std::string preset_summary(const MachinePreset& preset) {
  std::istringstream lines{std::string(preset.text)};
  std::string text;
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");)
    text += (text.empty() ? "" : " ") + line.substr(2);
  std::size_t end = text.find(". ");
  while (end != std::string::npos && (text[end + 2] < 'A' || text[end + 2] > 'Z'))
    end = text.find(". ", end + 1);
  text = text.substr(0, end);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

KnownNames known_presets() {
  KnownNames names{{"bgl", "Blue Gene/L, as published; details: toroid info --machine bgl"}};
  for (const MachinePreset& preset : machine_presets())
    names.push_back({std::string(preset.name), preset_summary(preset)});
  return names;
}

/// The policy's name without its parameter: "bruck" for "bruck:2".
std::string_view bare_name(const Policy& policy) {
  const std::string_view name = policy.name();
  return name.substr(0, name.find(':'));
}

KnownNames known_policies() {
  KnownNames names;
  for (const Policy* policy : built_in_policies()) {
    const std::string_view parameter = policy_parameter(policy->name());
    names.push_back({std::string(bare_name(*policy)) + (parameter.empty() ? "" : "[:N]"),
                     std::string(policy_definition(policy->name())) +
                         (parameter.empty() ? "" : fmt::format("; N: {}", parameter))});
  }
  return names;
}

KnownNames known_traffics() {
  KnownNames names;
  for (const TrafficInfo& traffic : traffic_names()) {
    std::string name(traffic.name);
    if (!traffic.parameter.empty())
      name += fmt::format("[:{}]", traffic.parameter.substr(1, traffic.parameter.size() - 2));
    names.push_back({name, std::string(traffic.definition)});
  }
  return names;
}

/// Every order is also the name of a policy and has that policy's definition.
KnownNames known_orders() {
  KnownNames names;
  for (const std::string_view order : kOrderRuleNames)
    names.push_back({std::string(order), std::string(policy_definition(order))});
  return names;
}

struct KnownList {
  const char* key;
  const char* heading;
  KnownNames names;
};

std::array<KnownList, 4> known_lists() {
  return {
      KnownList{"presets", "machines (--machine; it also takes a machine file)", known_presets()},
      KnownList{"policies", "policies (--policy; details: info --policies)", known_policies()},
      KnownList{"traffics", "patterns of traffic (--traffic)", known_traffics()},
      KnownList{"orders", "orders (--order)", known_orders()}};
}

Json names_json(const KnownNames& names) {
  Json json = Json::array();
  for (const KnownName& one : names) json.push_back({{"name", one.name}, {"about", one.about}});
  return json;
}

}  // namespace

std::span<const std::string_view> policy_names() {
  return policy_names_and_all().subspan(1);
}

std::span<const std::string_view> policy_names_and_all() {
  static const auto names = [] {
    std::vector<std::string_view> all{"all"};
    for (const Policy* policy : built_in_policies()) all.push_back(bare_name(*policy));
    return all;
  }();
  return names;
}

std::span<const std::string_view> traffic_pattern_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const TrafficInfo& traffic : traffic_names()) all.push_back(traffic.name);
    return all;
  }();
  return names;
}

Json known_names_json() {
  Json json;
  for (const KnownList& list : known_lists()) json[list.key] = names_json(list.names);
  return json;
}

std::string known_names_text() {
  std::string text;
  for (const KnownList& list : known_lists()) {
    text += fmt::format("#\n# {}:\n", list.heading);
    for (const KnownName& one : list.names) {
      std::istringstream lines(list_entry(one.name, one.about, 2, kNameColumn));
      for (std::string line; std::getline(lines, line);) text += "#" + line.substr(1) + "\n";
    }
  }
  return text;
}

}  // namespace toroid
