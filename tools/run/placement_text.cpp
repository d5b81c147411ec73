#include "tools/run/placement_text.hpp"

#include <fmt/core.h>

#include "router/placement/bisection.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

// With two heading lines and an empty line these make the 60 lines that placement_text() promises.
constexpr std::size_t kTreeLines = 32;
constexpr std::size_t kMapLines = 25;

std::string first_line(const HostTopology& topology, const Placement& placement) {
  const bool bound = !placement.workers.front().pus.empty();
  const std::string more =
      placement.oversubscribed
          ? fmt::format("more than the {}, ", counted(topology.cores().size(), "core"))
          : "";
  return fmt::format("{}: {}; {}{}", counted(placement.workers.size(), "worker"), placement.reason,
                     more, bound ? "bound to cores" : "not bound to cores");
}

std::string second_line(const Shape& shape, const Placement& placement) {
  const std::size_t least = shape.size() / placement.workers.size();
  const bool even = shape.size() % placement.workers.size() == 0;
  return fmt::format(
      "{}: {} each, {} between workers", shape.text(),
      even ? counted(least, "node") : fmt::format("{} or {} nodes", least, least + 1),
      counted(crossing_links(shape, placement.workers), "link"));
}

/// Shortens the list to `most` lines, by omitting its middle.
void shorten(std::vector<std::string>& lines, std::size_t most) {
  if (lines.size() <= most) return;
  const auto tail = static_cast<std::ptrdiff_t>(most / 4);
  const auto head = static_cast<std::ptrdiff_t>(most) - tail - 1;
  const auto left_out = fmt::format("  ... {} more lines", lines.size() + 1 - most);
  lines.erase(lines.begin() + head + 1, lines.end() - tail);
  lines[static_cast<std::size_t>(head)] = left_out;
}

}  // namespace

std::string placement_text(const HostTopology& topology, const Shape& shape,
                           const Placement& placement) {
  auto tree = placement_tree(topology, shape, placement);
  shorten(tree, kTreeLines);
  std::string text = first_line(topology, placement) + "\n" + second_line(shape, placement) + "\n";
  for (const auto& line : tree) text += line + "\n";
  if (placement.workers.size() == 1) return text;
  const auto map = placement_map(shape, placement, kMapLines);
  if (!map.empty()) text += "\n";
  for (const auto& line : map) text += line + "\n";
  return text;
}

}  // namespace toroid
