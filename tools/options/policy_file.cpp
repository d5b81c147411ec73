#include "tools/options/policy_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "tools/files/parse_toml.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/safe_toml.hpp"
#include "tools/options/policy_name_rule.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 4> kTableKeys = {"torus", "order", "relays", "release"};
constexpr std::array<std::string_view, 15> kPolicyKeys = {"name",
                                                          "policy",
                                                          "order",
                                                          "packets_per_visit",
                                                          "output_queues",
                                                          "queue_per_direction",
                                                          "queue_capacity",
                                                          "drain",
                                                          "tying",
                                                          "fifo_links",
                                                          "routing",
                                                          "tie",
                                                          "cycles_per_packet",
                                                          "window",
                                                          "tables"};

std::string policy_text(const std::string& path) {
  constexpr std::size_t kLongest = 1 << 20;  // bytes
  return read_text(path, kLongest);
}

TableKey table_key_of(const Shape& shape) {
  return TableKey(shape);
}

/// Paths in the file are relative to the folder of the file.
std::string beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

/// Reads a policy file, key by key.
class PolicyReader {
 public:
  explicit PolicyReader(const std::string& path) : PolicyReader(policy_text(path), path) {}
  PolicyReader(std::string_view text, const std::string& path)
      : path_(path), file_(parse_toml(text, path)) {
    check_keys(file_, kPolicyKeys, "key");
    if (const toml::node* const tables = file_.get("tables")) add_tables(*tables);
  }

  PolicyData data() const {
    PolicyData data{.path = path_, .name = name(), .base = &base(), .changes = changes()};
    check_together(data);
    const std::vector<Shape> shapes = this->shapes();
    for (std::size_t i = 0; i < shapes.size(); ++i)
      data.tables.emplace_back(shapes[i], files_of(*tables_[i]));
    return data;
  }

  /// The shapes of the tables, each once, in the order of the file.
  std::vector<Shape> shapes() const {
    std::vector<Shape> shapes;
    for (const toml::table* const tables : tables_) {
      const Shape shape = shape_of(*tables);
      if (std::ranges::find(shapes, TableKey(shape), table_key_of) != shapes.end())
        refuse(*tables->get("torus"),
               fmt::format("torus {} has tables already; expected each torus once", shape.text()));
      shapes.push_back(shape);
    }
    return shapes;
  }

  /// The paths of all tables.
  std::vector<std::string> paths() const {
    std::vector<std::string> paths;
    for (const toml::table* const tables : tables_)
      std::ranges::copy(files_of(*tables).paths(), std::back_inserter(paths));
    return paths;
  }

 private:
  /// `node` is [tables], or the array of all [[tables]].
  void add_tables(const toml::node& node) {
    if (const toml::table* const one = node.as_table()) {
      tables_.push_back(one);
    } else {
      const toml::array* const all = node.as_array();
      if (all == nullptr || !all->is_array_of_tables())
        refuse(node, "tables must be a table, [tables], or several, [[tables]]");
      for (const toml::node& each : *all) tables_.push_back(each.as_table());
    }
    for (const toml::table* const tables : tables_)
      check_keys(*tables, kTableKeys, "key of [tables]");
  }

  PolicyTableFiles files_of(const toml::table& tables) const {
    const auto path = [&](std::string_view key) {
      const auto text = this->text(tables, key);
      return text ? beside(path_, *text) : std::string();
    };
    return {.order = path("order"), .relays = path("relays"), .release = path("release")};
  }

  [[noreturn]] void refuse(const toml::node& node, std::string_view why) const {
    throw BadInput(one_line(fmt::format("{}:{}: {}", path_, node.source().begin.line, why)));
  }

  template <std::size_t n>
  void check_keys(const toml::table& table, const std::array<std::string_view, n>& known,
                  std::string_view what) const {
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end())
        refuse(node, unknown_name(what, key.str(), known));
  }

  /// Returns read(). Adds file and line to the message if it throws BadInput.
  template <typename Read>
  auto placed(const toml::node& node, const Read& read) const {
    try {
      return read();
    } catch (const BadInput& error) {
      refuse(node, error.what());
    }
  }

  std::optional<std::string> text(const toml::table& table, std::string_view key) const {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const auto text = node->value_exact<std::string>();
    if (!text || text->empty()) refuse(*node, fmt::format("{} must be a text", key));
    return text;
  }

  template <typename T, std::size_t n>
  std::optional<T> choice(std::string_view key,
                          const std::array<std::string_view, n>& names) const {
    const auto text = this->text(file_, key);
    if (!text) return std::nullopt;
    return placed(*file_.get(key), [&] { return parse_choice<T>(key, names, *text); });
  }

  template <typename T>
  std::optional<T> number(std::string_view key, std::int64_t least, std::int64_t most) const {
    const toml::node* const node = file_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto number = node->value_exact<std::int64_t>();
    if (!number || *number < least || *number > most)
      refuse(*node, fmt::format("{} must be a whole number from {} to {}", key, least, most));
    return static_cast<T>(*number);
  }

  std::optional<double> cycles(std::string_view key) const {
    const toml::node* const node = file_.get(key);
    if (node == nullptr) return std::nullopt;
    const double number = node->is_number() ? *node->value<double>() : -1;
    if (!(number >= 0 && number <= kMostCyclesPerPacket))
      refuse(*node,
             fmt::format("{} must be a number of cycles from 0 to {}", key, kMostCyclesPerPacket));
    return number;
  }

  std::optional<bool> truth(std::string_view key) const {
    const toml::node* const node = file_.get(key);
    if (node == nullptr) return std::nullopt;
    const auto truth = node->value_exact<bool>();
    if (!truth) refuse(*node, fmt::format("{} must be true or false", key));
    return truth;
  }

  /// The policy's name, which tables and CSV files show unchanged.
  std::string name() const {
    const auto name = text(file_, "name");
    if (name && !is_policy_name(*name))
      refuse(*file_.get("name"), fmt::format("name {}", kPolicyNameRule));
    if (name) return *name;
    const std::string stem = std::filesystem::path(path_).stem().string();
    if (!is_policy_name(stem))
      throw BadInput(
          one_line(fmt::format("policy {}: without a key 'name' the file's name is used, which {}",
                               path_, kPolicyNameRule)));
    return stem;
  }

  const Policy& base() const {
    const auto policy = text(file_, "policy");
    if (!policy)
      throw BadInput(one_line(fmt::format(
          "{}: expected the built-in policy to start from, e.g. policy = \"random\"", path_)));
    return *placed(*file_.get("policy"), [&] { return &policy_by_name(*policy); });
  }

  SettingChanges changes() const {
    return {.order = choice<OrderRule>("order", kOrderRuleNames),
            .packets_per_visit = number<std::uint32_t>("packets_per_visit", 1, kMostPackets),
            .output_queues = number<unsigned>("output_queues", 1, kMostQueues),
            .queue_per_direction = truth("queue_per_direction"),
            .queue_capacity = number<unsigned>("queue_capacity", 1, kMostPackets),
            .drain = choice<DrainRule>("drain", kDrainRuleNames),
            .tying = tying(),
            .routing = choice<RoutingRule>("routing", kRoutingRuleNames),
            .tie = choice<TieRule>("tie", kTieRuleNames),
            .cycles_per_packet = cycles("cycles_per_packet"),
            .window = number<std::uint32_t>("window", 0, kMostPackets)};
  }

  std::optional<FifoLinks> tying() const {
    const auto table = text(file_, "fifo_links");
    if (!table) return choice<FifoTying>("tying", kFifoTyingNames);
    if (file_.contains("tying"))
      refuse(*file_.get("tying"), "fifo_links replaces tying; remove one of them");
    return placed(*file_.get("fifo_links"), [&] { return FifoLinks::parse(*table); });
  }

  Shape shape_of(const toml::table& tables) const {
    const auto torus = text(tables, "torus");
    if (!torus) refuse(tables, "[tables] lacks torus, the shape of the tables");
    return placed(*tables.get("torus"), [&] { return Shape::parse(*torus); });
  }

  /// Refuses keys that contradict each other in every run.
  void check_together(const PolicyData& data) const {
    if (data.changes.queue_per_direction.value_or(false) && data.changes.output_queues)
      refuse(*file_.get("output_queues"),
             "queue_per_direction replaces output_queues; remove one of them");
    for (const toml::table* const tables : tables_) check_tables(data, *tables);
  }

  void check_tables(const PolicyData& data, const toml::table& tables) const {
    if (data.changes.order && tables.contains("order"))
      refuse(*file_.get("order"), "order replaces the table of that name; remove one of them");
    for (const std::string_view key : {"relays", "release"})
      if (data.base->combines() && tables.contains(key))
        refuse(*tables.get(key), fmt::format("policy {} combines messages: it cannot have {}",
                                             data.base->name(), key));
  }

  std::string path_;
  toml::table file_;
  std::vector<const toml::table*> tables_;  ///< one per shape; parts of file_
};

}  // namespace

bool names_policy_data(std::string_view text) {
  return text.ends_with(".toml");
}

PolicyData parse_policy_data(std::string_view text, const std::string& path) {
  return PolicyReader(text, path).data();
}

/// A file that has changed is read again. References to the policy that it contained before stay
/// valid.
const Policy& policy_from_data(std::string_view text) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<const Policy>> read;
  const std::pair key(std::string(text), policy_data_sum(text));
  const std::lock_guard lock(mutex);
  std::unique_ptr<const Policy>& policy = read[key];
  if (!policy) policy = std::make_unique<TablePolicy>(PolicyReader(key.first).data());
  return *policy;
}

std::vector<Shape> shapes_of_policy_data(std::string_view text) {
  return PolicyReader(std::string(text)).shapes();
}

std::string policy_data_sum(std::string_view text) {
  std::vector<std::string> paths{std::string(text)};
  try {
    std::ranges::copy(PolicyReader(paths.front()).paths(), std::back_inserter(paths));
  } catch (const BadInput&) {
    // Reading the policy reports the error.
  }
  return file_sum(paths);
}

}  // namespace toroid
