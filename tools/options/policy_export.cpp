#include "tools/options/policy_export.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "tools/files/npy.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/policy_tables.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

/// The largest machine for tables: a table grows with the square of the number of nodes, and has
/// 268 MB for this number.
constexpr Rank kMostNodes = 8192;

using Cells = std::vector<std::int32_t>;

Cells order_cells(const Policy& policy, const Shape& shape, std::uint64_t seed) {
  Cells cells;
  cells.reserve(std::size_t{shape.size()} * (shape.size() - 1));
  for (Rank self = 0; shape.size() > 1 && self < shape.size(); ++self)
    for (const Rank to : policy.order({shape, self, seed, 0, self}))
      cells.push_back(static_cast<std::int32_t>(to));
  return cells;
}

/// Whether the relays of packets from node 0 depend on anything but the destination, as random
/// relays do. REQUIRES: two stages.
bool relays_are_drawn(const Policy& policy, const Shape& shape) {
  constexpr std::uint64_t kKeys = 64;
  for (Rank to = 1; to < shape.size(); ++to)
    for (std::uint64_t key = 1; key < kKeys; ++key)
      if (policy.relay(shape, {0, 0, 0, to, mix64(key)}) != policy.relay(shape, {0, 0, 0, to, 0}))
        return true;
  return false;
}

bool has_relay_table(const Policy& policy, const Shape& shape) {
  return !policy.combines() && policy.stages(shape) == 2 && !relays_are_drawn(policy, shape);
}

Cells relay_cells(const Policy& policy, const Shape& shape) {
  Cells cells;
  for (Rank from = 0; from < shape.size(); ++from)
    for (Rank to = 0; to < shape.size(); ++to)
      cells.push_back(static_cast<std::int32_t>(
          from == to ? from : policy.relay(shape, {0, from, from, to, 0})));
  return cells;
}

/// The policy's settings on this shape, commented out, for the user to change. `on` is empty, or
/// says the shape: " on torus 4x4".
std::string settings_text(const Policy& policy, const Shape& shape, const std::string& on) {
  const auto traffic = make_traffic("all-to-all", shape, 0, 1);
  const PolicySettings s = policy.settings({shape, Machine(), *traffic});
  return fmt::format(
      "# These are the policy's settings{}. To change one, remove its #.\n"
      "{}# queue_capacity = {}\n# drain = \"{}\"\n# {} = \"{}\"\n# routing = \"{}\"\n"
      "# tie = \"{}\"{}\n# window = {}\n",
      on,
      s.queue_per_direction ? "# queue_per_direction = true\n"
                            : fmt::format("# output_queues = {}\n", s.output_queues),
      s.queue_capacity, name_of<DrainRule>(kDrainRuleNames, s.drain),
      s.tying.is_table() ? "fifo_links" : "tying", s.tying.text(),
      name_of<RoutingRule>(kRoutingRuleNames, s.routing),
      name_of<TieRule>(kTieRuleNames, tie_rule_of(s, Machine())),
      s.tie ? "" : "  # unless the machine has another tie_choice", s.throttle.window);
}

/// The files of one export, named after the policy. They appear together, in commit(): a failure
/// before leaves the earlier files as they were.
class ExportedFiles {
 public:
  ExportedFiles(const std::string& directory, std::string name)
      : directory_(directory), name_(std::move(name)) {
    std::ranges::replace(name_, ':', '-');
    std::error_code failed;
    if (!directory.empty()) std::filesystem::create_directories(directory, failed);
    if (failed) throw BadInput(fmt::format("{}: {}", directory, failed.message()));
  }

  /// `kind` is the end of the file's name. Returns this name for the TOML file.
  std::string write_table(const std::string& kind, std::size_t columns, const Cells& cells,
                          Rank nodes) {
    const std::string file = fmt::format("{}{}.npy", name_, kind);
    OutputFile& output = opened(file, fmt::format("{} x {} nodes", nodes, columns));
    write_npy(output.stream(), std::array<std::size_t, 2>{nodes, columns}, cells);
    output.finish();
    return file;
  }

  void write_text(const std::string& text) {
    OutputFile& output = opened(name_ + ".toml", "names the policy and its tables");
    output.stream() << text;
    output.finish();
  }

  /// Makes all files appear, in the order in which they were written. Returns a line for each.
  std::string commit() {
    for (const std::unique_ptr<OutputFile>& output : outputs_) output->commit();
    return written_;
  }

 private:
  OutputFile& opened(const std::string& file, const std::string& what) {
    const std::filesystem::path path = directory_ / file;
    outputs_.push_back(std::make_unique<OutputFile>(path));
    written_ += fmt::format("{}: {}{}\n", path.string(), what,
                            std::filesystem::exists(path) ? " (replaces a file)" : "");
    return *outputs_.back();
  }

  std::filesystem::path directory_;
  std::string name_;
  std::vector<std::unique_ptr<OutputFile>> outputs_;
  std::string written_;
};

/// Throws BadInput if there cannot be tables for the shape.
void refuse_shape(const Policy& policy, const Shape& shape) {
  if (shape.size() > kMostNodes)
    throw BadInput(fmt::format("torus {}: {} nodes; expected at most {} for tables", shape.text(),
                               shape.size(), kMostNodes));
  (void)policy.stages(shape);  // throws for shapes that the policy does not support
}

void refuse_shapes(const Policy& policy, const std::vector<Shape>& shapes) {
  for (auto at = shapes.begin(); at != shapes.end(); ++at) {
    if (std::find_if(shapes.begin(), at, [key = TableKey(*at)](const Shape& earlier) {
          return TableKey(earlier) == key;
        }) != at)
      throw BadInput(fmt::format("--torus names {} twice", at->text()));
    refuse_shape(policy, *at);
  }
}

/// Writes the tables for one shape. Returns the keys that name them, a line each. `shape_name` is
/// empty, or the part of the files' names that says the shape: "-4x4".
std::string export_tables(const Policy& policy, const Shape& shape, std::uint64_t seed,
                          const std::string& shape_name, ExportedFiles& files) {
  const Rank nodes = shape.size();
  std::string text = fmt::format("torus = \"{}\"\n", shape.text());
  if (policy.changes_order())
    text += "# The order changes in every round, so there is no table for it.\n";
  else
    text += fmt::format("order = \"{}\"  # drawn with seed {}, whatever the run's seed\n",
                        files.write_table(shape_name + "-order", nodes - 1,
                                          order_cells(policy, shape, seed), nodes),
                        seed);
  if (has_relay_table(policy, shape))
    text += fmt::format("relays = \"{}\"\n", files.write_table(shape_name + "-relays", nodes,
                                                               relay_cells(policy, shape), nodes));
  return text;
}

}  // namespace

std::string export_policy(const PolicyExport& options, const std::vector<Shape>& shapes) {
  TOROID_CHECK(!shapes.empty());
  const Policy& policy = policy_by_name(options.policy);
  refuse_shapes(policy, shapes);
  ExportedFiles files(options.directory, std::string(policy.name()));
  const bool is_one = shapes.size() == 1;
  const Shape& first = shapes.front();
  std::string text = fmt::format(
      "# Policy {0} of toroid {1} on {2}.\n"
      "name = \"{0}\"\n"
      "policy = \"{0}\"\n\n{3}",
      policy.name(), kVersion, text_of_toruses(shapes),
      settings_text(policy, first, is_one ? "" : " on torus " + first.text()));
  for (const Shape& shape : shapes)
    text += (is_one ? "\n[tables]\n" : "\n[[tables]]\n") +
            export_tables(policy, shape, options.seed, is_one ? "" : "-" + shape.text(), files);
  files.write_text(text);
  return files.commit();
}

}  // namespace toroid
