#include "router/termination/losses_report.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace toroid::termination {
namespace {

constexpr std::size_t kMostNamed = 8;

std::string others_text(std::size_t all, std::string_view what) {
  return all <= kMostNamed ? "" : fmt::format(", and {} other {}", all - kMostNamed, what);
}

std::string deaths_text(const std::vector<std::string>& deaths) {
  if (deaths.empty()) return {};
  const auto named =
      deaths.begin() + static_cast<std::ptrdiff_t>(std::min(deaths.size(), kMostNamed));
  return fmt::format("{}{}; ", fmt::join(deaths.begin(), named, ", "),
                     others_text(deaths.size(), "failures"));
}

std::string lost_text(const Shape& shape, const std::vector<LostPackets>& all,
                      std::string_view from) {
  if (all.empty()) return {};
  std::uint64_t packets = 0;
  std::vector<std::string> pairs;
  for (const LostPackets& lost : all) {
    packets += lost.packets;
    if (pairs.size() < kMostNamed)
      pairs.push_back(fmt::format("{} {} {} to {}", lost.packets, from,
                                  shape.coord_text(lost.source),
                                  shape.coord_text(lost.destination)));
  }
  return fmt::format("{} packet{} cannot arrive: {}{}", packets, packets == 1 ? "" : "s",
                     fmt::join(pairs, ", "), others_text(all.size(), "pairs"));
}

}  // namespace

std::string losses_report(const Shape& shape, const FabricCounters& counters,
                          const std::string& stall, std::string_view from) {
  const std::string lost = lost_text(shape, counters.lost, from);
  if (lost.empty() && stall.empty()) return {};
  return deaths_text(counters.deaths) + lost + (lost.empty() || stall.empty() ? "" : "; ") + stall;
}

}  // namespace toroid::termination
