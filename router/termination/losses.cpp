#include "router/termination/losses.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/counters.hpp"
#include "hal/shape.hpp"

namespace toroid::termination {
namespace {

std::string lost_text(const Shape& shape, const std::vector<LostPackets>& all,
                      std::string_view from) {
  constexpr std::size_t kMostPairs = 8;
  if (all.empty()) return {};
  std::uint64_t packets = 0;
  std::vector<std::string> pairs;
  for (const LostPackets& lost : all) {
    packets += lost.packets;
    if (pairs.size() < kMostPairs)
      pairs.push_back(fmt::format("{} {} {} to {}", lost.packets, from,
                                  shape.coord_text(lost.source),
                                  shape.coord_text(lost.destination)));
  }
  const std::size_t others = all.size() - pairs.size();
  return fmt::format("{} packet{} cannot arrive: {}{}", packets, packets == 1 ? "" : "s",
                     fmt::join(pairs, ", "),
                     others == 0 ? "" : fmt::format(", and those of {} other pairs", others));
}

}  // namespace

std::string losses_report(const Shape& shape, const FabricCounters& counters,
                          const std::string& stall, std::string_view from) {
  const std::string lost = lost_text(shape, counters.lost, from);
  if (lost.empty() && stall.empty()) return {};
  std::string text;
  for (const std::string& death : counters.deaths) text += death + "; ";
  return text + lost + (lost.empty() || stall.empty() ? "" : "; ") + stall;
}

}  // namespace toroid::termination
