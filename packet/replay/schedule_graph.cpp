#include "packet/replay/schedule_graph.hpp"

#include <fmt/core.h>

#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// One end of a message.
struct End {
  Rank from;
  Rank to;
  std::uint32_t tag;
  OperationId operation;
  std::uint32_t line;
  std::uint64_t bytes;

  auto key() const { return std::tuple(from, to, tag); }
  std::string text() const {
    return fmt::format("{} bytes from {} to {} with tag {}", bytes, from, to, tag);
  }
};

/// All sends, or all receives, sorted by source, destination and tag. If these are equal, they stay
/// in the order of the schedule.
std::vector<End> ends(const Schedule& schedule, Operation::Kind kind) {
  std::vector<End> ends;
  OperationId id = 0;
  for (Rank r = 0; r < schedule.ranks.size(); ++r)
    for (const Operation& o : schedule.ranks[r].operations) {
      const bool sends = kind == Operation::Kind::send;
      if (o.kind == kind)
        ends.push_back({sends ? r : o.peer, sends ? o.peer : r, o.tag, id, o.line, o.amount});
      ++id;
    }
  std::ranges::stable_sort(ends, {}, &End::key);
  return ends;
}

[[noreturn]] void refuse(std::string_view file, std::uint32_t line, const std::string& why) {
  throw BadInput(one_line(fmt::format("{}:{}: {}", file, line, why)));
}
[[noreturn]] void refuse(const Schedule& schedule, std::uint32_t line, const std::string& why) {
  refuse(schedule.name, line, why);
}

void check_pair(const Schedule& schedule, const End& send, const End& receive) {
  if (send.key() < receive.key()) refuse(schedule, send.line, send.text() + " are never received");
  if (receive.key() < send.key())
    refuse(schedule, receive.line, receive.text() + " are never sent");
  if (send.bytes != receive.bytes)
    refuse(schedule, receive.line,
           fmt::format("expected {} bytes, as sent in line {}, not {}", send.bytes, send.line,
                       receive.bytes));
}

}  // namespace

ScheduleGraph::ScheduleGraph(const Schedule& schedule) : name_(schedule.name) {
  number_operations(schedule);
  match(schedule);
  connect(schedule);
  sort(schedule);
}

void ScheduleGraph::check_living(const Shape& shape, Rank rank) const {
  if (shape.failures() == nullptr || rank >= ranks()) return;
  for (OperationId id = first(rank); id < last(rank); ++id) {
    const Operation& o = operation(id);
    const Rank other = o.kind == Operation::Kind::compute ? rank : o.peer;
    for (const Rank one : {rank, other})
      if (!shape.is_alive(one))
        refuse(name_, o.line,
               fmt::format("rank {} is node {}, which is dead", one, shape.coord_text(one)));
  }
}

void ScheduleGraph::number_operations(const Schedule& schedule) {
  for (const RankSchedule& rank : schedule.ranks) {
    first_.push_back(static_cast<OperationId>(operations_.size()));
    operations_.insert(operations_.end(), rank.operations.begin(), rank.operations.end());
  }
  if (operations_.size() > UINT32_MAX) refuse(schedule, 1, "more than 4294967295 operations");
  first_.push_back(static_cast<OperationId>(operations_.size()));
}

void ScheduleGraph::match(const Schedule& schedule) {
  const std::vector<End> sends = ends(schedule, Operation::Kind::send);
  const std::vector<End> receives = ends(schedule, Operation::Kind::receive);
  const std::size_t both = std::min(sends.size(), receives.size());
  messages_.reserve(both);
  message_of_.resize(operations_.size());
  for (std::size_t i = 0; i < both; ++i) {
    check_pair(schedule, sends[i], receives[i]);
    const End& end = sends[i];
    message_of_[end.operation] = message_of_[receives[i].operation] =
        static_cast<std::uint32_t>(messages_.size());
    messages_.push_back({end.from, end.to, end.operation, receives[i].operation, end.bytes});
  }
  if (both < sends.size())
    refuse(schedule, sends[both].line, sends[both].text() + " are never received");
  if (both < receives.size())
    refuse(schedule, receives[both].line, receives[both].text() + " are never sent");
}

void ScheduleGraph::connect(const Schedule& schedule) {
  dependents_from_.resize(operations_.size() + 1);
  waits_.resize(operations_.size());
  for (Rank r = 0; r < ranks(); ++r)
    for (const Dependency& d : schedule.ranks[r].dependencies) {
      ++dependents_from_[first_[r] + d.on + std::size_t{1}];
      ++waits_[first_[r] + d.operation];
    }
  std::partial_sum(dependents_from_.begin(), dependents_from_.end(), dependents_from_.begin());
  dependents_.resize(dependents_from_.back());
  std::vector<std::size_t> next = dependents_from_;
  for (Rank r = 0; r < ranks(); ++r)
    for (const Dependency& d : schedule.ranks[r].dependencies)
      dependents_[next[first_[r] + d.on]++] = {first_[r] + d.operation, d.on_start};
}

/// Operations that wait for nothing come first, then those that wait only for them, and so on.
void ScheduleGraph::sort(const Schedule& schedule) {
  std::vector<std::uint32_t> waits = waits_;
  for (const ScheduleMessage& m : messages_) ++waits[m.receive];
  order_.reserve(operations_.size());
  for (OperationId id = 0; id < operations_.size(); ++id)
    if (waits[id] == 0) order_.push_back(id);
  const auto release = [&](OperationId id) {
    if (--waits[id] == 0) order_.push_back(id);
  };
  for (std::size_t done = 0; done < order_.size(); ++done) {
    const OperationId id = order_[done];
    for (const Dependent& d : dependents(id)) release(d.operation);
    if (operations_[id].kind == Operation::Kind::send) release(messages_[message_of_[id]].receive);
  }
  if (order_.size() < operations_.size()) name_circle(schedule, std::move(waits));
}

/// Throws BadInput, which names a circle. Finds it by going from a waiting operation to one that it
/// waits for and that waits too, again and again.
void ScheduleGraph::name_circle(const Schedule& schedule, std::vector<std::uint32_t> waits) const {
  std::vector<OperationId> on(operations_.size());
  for (OperationId id = 0; id < operations_.size(); ++id) {
    if (waits[id] == 0) continue;
    for (const Dependent& d : dependents(id)) on[d.operation] = id;
    if (operations_[id].kind == Operation::Kind::send) on[messages_[message_of_[id]].receive] = id;
  }
  const auto waiting = std::ranges::find_if(waits, [](std::uint32_t w) { return w > 0; });
  auto at = static_cast<OperationId>(waiting - waits.begin());
  for (std::size_t i = 0; i < operations_.size(); ++i) at = on[at];  // now it is in the circle
  constexpr std::size_t kShown = 8;
  std::string lines;
  std::size_t length = 0;
  for (OperationId next = on[at]; length++ < kShown; next = on[next]) {
    lines += fmt::format(" -> line {}", operations_[next].line);
    if (next == at) break;
  }
  refuse(schedule, operations_[at].line,
         fmt::format("operations wait in a circle: this one{}{}", lines,
                     length > kShown ? " -> ..." : ""));
}

}  // namespace toroid
