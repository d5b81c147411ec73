#include "router/sim/stall.hpp"

#include <algorithm>
#include <optional>

namespace toroid::sim {
namespace {

struct Buffer {
  Rank node;
  Source source;
  bool operator==(const Buffer& other) const {
    return node == other.node && source.index() == other.source.index();
  }
};

std::string name_of(const Network& network, const Buffer& buffer) {
  const unsigned degree = network.shape().links();
  const std::string node = network.shape().coord_text(buffer.node);
  if (buffer.source.is_fifo(degree))
    return fmt::format("{} injection FIFO {}", node,
                       buffer.source.index() - degree * kVirtualChannels);
  return fmt::format("{} {} {}", node, buffer.source.travelling().name(),
                     kVirtualChannelNames[static_cast<unsigned>(buffer.source.channel())]);
}

/// The buffer that the head of `from` would have to enter: of the escape channel, or, for a dynamic
/// packet whose escape is empty, of a dynamic one.
std::optional<Buffer> waits_for(const Network& network, const Buffer& from) {
  const Waiting& waiting = network.waiting(from.node, from.source);
  if (waiting.head == kNoFlight) return std::nullopt;
  const Flight& flight = network.flight(waiting.head);
  if (flight.directions.empty()) return std::nullopt;
  const Direction direction = flight.directions.first();
  const Rank next = network.link(from.node, direction.index).neighbour;
  const auto escape = flight.high_priority ? VirtualChannel::priority : VirtualChannel::bubble;
  for (const auto channel : {escape, VirtualChannel::dynamic0, VirtualChannel::dynamic1}) {
    const Buffer ahead{next, Source::channel(direction, channel)};
    if (network.waiting(next, ahead.source).head != kNoFlight) return ahead;
    if (!flight.dynamic) break;
  }
  return std::nullopt;
}

/// Follows who waits for whom until a buffer comes round again.
std::vector<Buffer> find_cycle(const Network& network, Buffer start) {
  std::vector<Buffer> path{start};
  while (const auto ahead = waits_for(network, path.back())) {
    const auto seen = std::find(path.begin(), path.end(), *ahead);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(*ahead);
  }
  return {};
}

std::vector<Buffer> find_any_cycle(const Network& network) {
  for (Rank node = 0; node < network.shape().size(); ++node)
    for (unsigned s = 0; s < network.sources(); ++s)
      if (auto cycle = find_cycle(network, {node, Source(s)}); !cycle.empty()) return cycle;
  return {};
}

std::string cycle_text(const Network& network, const std::vector<Buffer>& cycle) {
  if (cycle.empty()) return "; no cycle of buffers found";
  std::string text = "; the cycle: ";
  for (const Buffer& buffer : cycle) text += name_of(network, buffer) + " -> ";
  return text + name_of(network, cycle.front());
}

std::string programs_text(std::span<const SimNode> nodes, const Shape& shape) {
  const auto unfinished = [](const SimNode& n) {
    return n.processor() != nullptr && !n.processor()->finished();
  };
  const auto first = std::find_if(nodes.begin(), nodes.end(), unfinished);
  if (first == nodes.end()) return {};
  return fmt::format("{} of {} nodes wait; node {} for {}",
                     std::count_if(nodes.begin(), nodes.end(), unfinished), nodes.size(),
                     shape.coord_text(first->rank()), first->processor()->waits_for());
}

}  // namespace

std::string stall_report(const Network& network, std::span<const SimNode> nodes, Tick now) {
  const std::string programs = programs_text(nodes, network.shape());
  const std::size_t stuck = network.flights_alive();
  if (stuck > 0)
    return fmt::format("deadlock at cycle {}: {} packets are under way and none can move{}", now,
                       stuck, cycle_text(network, find_any_cycle(network)));
  if (!programs.empty()) return fmt::format("the run stalled at cycle {}: {}", now, programs);
  return {};
}

}  // namespace toroid::sim
