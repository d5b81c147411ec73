#include "router/termination/stall_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string_view>
#include <thread>

#include "hal/direction.hpp"
#include "hal/packet.hpp"

namespace toroid::termination {
namespace {

struct Buffer {
  Rank node;
  Input input;
  bool operator==(const Buffer& other) const {
    return node == other.node && input.index() == other.input.index();
  }
};

std::string name_of(const Shape& shape, const Buffer& buffer) {
  const unsigned links = shape.links();
  const std::string node = shape.torus().coord_text(buffer.node);
  if (buffer.input.is_fifo(links))
    return fmt::format("{} injection FIFO {}", node,
                       buffer.input.index() - links * kVirtualChannels);
  return fmt::format("{} {} {}", node, buffer.input.travelling().name(),
                     kVirtualChannelNames[static_cast<unsigned>(buffer.input.channel())]);
}

/// The buffer that the head of `from` waits to enter; an edge of the wait-for graph. If packets
/// wait in the next buffer of the escape channel, it is that buffer. Otherwise, for a dynamic
/// packet, it is the next buffer of a dynamic channel in which packets wait.
std::optional<Buffer> waits_for(const StalledMachine& machine, const Buffer& from) {
  const auto head = machine.head(from.node, from.input);
  if (!head || head->directions.empty()) return std::nullopt;
  const auto ahead = [&](Direction direction, VirtualChannel channel) -> std::optional<Buffer> {
    const Shape& shape = machine.shape();
    const Rank first = shape.ranks().rank(from.node, 0);
    const Rank next = shape.ranks().node(shape.neighbour(first, direction).value());
    const Buffer buffer{next, Input::channel(direction, channel)};
    return machine.head(next, buffer.input) ? std::optional(buffer) : std::nullopt;
  };
  const auto escape = head->high_priority ? VirtualChannel::priority : VirtualChannel::bubble;
  if (head->may_escape)
    if (const auto buffer = ahead(head->directions.first(), escape)) return buffer;
  if (head->dynamic.empty()) return std::nullopt;
  for (const auto channel : {VirtualChannel::dynamic0, VirtualChannel::dynamic1})
    if (const auto buffer = ahead(head->dynamic.first(), channel)) return buffer;
  return std::nullopt;
}

/// Follows the wait-for graph from `start` until a buffer repeats, and returns the cycle; empty if
/// no buffer repeats.
std::vector<Buffer> find_cycle(const StalledMachine& machine, Buffer start) {
  std::vector<Buffer> path{start};
  while (const auto ahead = waits_for(machine, path.back())) {
    const auto seen = std::find(path.begin(), path.end(), *ahead);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(*ahead);
  }
  return {};
}

std::vector<Buffer> find_any_cycle(const StalledMachine& machine) {
  for (const Rank rank : machine.nodes())
    for (unsigned s = 0; s < machine.inputs(); ++s) {
      const Rank node = machine.shape().ranks().node(rank);
      if (auto cycle = find_cycle(machine, {node, Input(s)}); !cycle.empty()) return cycle;
    }
  return {};
}

std::string cycle_text(const Shape& shape, const std::vector<Buffer>& cycle) {
  if (cycle.empty()) return "; no cycle of buffers found";
  std::string text = "; the cycle of buffers: ";
  for (const Buffer& buffer : cycle) text += name_of(shape, buffer) + " -> ";
  return text + name_of(shape, cycle.front());
}

std::string programs_text(const StalledMachine& machine) {
  std::vector<Rank> unfinished;
  const std::vector<Rank> nodes = machine.nodes();
  for (const Rank node : nodes)
    if (!machine.processor(node).finished()) unfinished.push_back(node);
  if (unfinished.empty()) return {};
  const std::string_view one = machine.shape().ranks().are_shared() ? "rank" : "node";
  return fmt::format("{} of {} {}s wait; {} {} waits for {}", unfinished.size(), nodes.size(), one,
                     one, machine.shape().coord_text(unfinished.front()),
                     machine.processor(unfinished.front()).waits_for());
}

struct Activity {
  Rank node;
  std::uint64_t turns;
  std::string doing;
};

std::vector<Activity> activities(const StalledMachine& machine) {
  std::vector<Activity> all;
  for (const Rank node : machine.nodes()) {
    const Processor& processor = machine.processor(node);
    all.push_back({node, processor.turns_taken(), processor.doing()});
  }
  return all;
}

/// The nodes that are in the same turn as a tenth of a second before.
std::string unreturned_text(const StalledMachine& machine, const std::vector<Activity>& before) {
  const auto is_in_a_turn = [](const Activity& node) { return !node.doing.empty(); };
  if (std::ranges::none_of(before, is_in_a_turn)) return {};
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::vector<Activity> now = activities(machine);
  std::string text;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i].turns == before[i].turns && is_in_a_turn(now[i]))
      text += fmt::format("; node {} has not returned from {}",
                          machine.shape().coord_text(now[i].node), now[i].doing);
  return text;
}

}  // namespace

std::vector<Rank> StalledMachine::nodes() const {
  std::vector<Rank> all(shape().size());
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

std::string activity_report(const StalledMachine& machine, const std::string& begin) {
  std::vector<Activity> now = activities(machine);
  std::string text = begin + unreturned_text(machine, now);
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(kShown, now.size());
  std::ranges::partial_sort(now, now.begin() + static_cast<std::ptrdiff_t>(shown),
                            std::ranges::greater(), &Activity::turns);
  text += "; the busiest nodes:";
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{} {} with {} turns", i == 0 ? "" : ",",
                        machine.shape().coord_text(now[i].node), now[i].turns);
  return text;
}

std::string stall_report(const StalledMachine& machine, const std::string& when) {
  const std::string programs = programs_text(machine);
  if (const std::uint64_t stuck = machine.packets_under_way(); stuck > 0)
    return fmt::format("deadlock {}: {} packets are in flight and none can move{}{}", when, stuck,
                       cycle_text(machine.shape(), find_any_cycle(machine)),
                       programs.empty() ? "" : "; " + programs);
  if (!programs.empty()) return fmt::format("the run stalled {}: {}", when, programs);
  return {};
}

}  // namespace toroid::termination
