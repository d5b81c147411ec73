#include "packet/replay/recorded_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/handlers.hpp"

namespace toroid {
namespace {

/// A tag that is unique among the messages of a pair of nodes.
std::uint32_t tag_of(const RecordedEvent& send) {
  return send.handler + kMaxHandlers * send.number;
}

/// The messages that one node receives, by handler and source, and how many of them already have a
/// receive in the schedule.
struct Inbox {
  struct Source {
    std::vector<const RecordedEvent*> sends;  ///< by number
    std::size_t taken = 0;
  };
  std::map<std::pair<HandlerId, Rank>, Source> sources;
};

std::vector<Inbox> inboxes(const MessageRecord& record) {
  std::vector<Inbox> inboxes(record.nodes());
  for (Rank r = 0; r < record.nodes(); ++r)
    for (const RecordedEvent& e : record.of(r).events())
      if (e.is_send) inboxes[e.peer].sources[{e.handler, r}].sends.push_back(&e);
  for (Inbox& inbox : inboxes)
    for (auto& [key, source] : inbox.sources)
      std::ranges::stable_sort(source.sends, {}, &RecordedEvent::number);
  return inboxes;
}

/// Writes one rank's part of the schedule.
class RankWriter {
 public:
  RankWriter(const Machine& machine, Inbox& inbox, RankSchedule& out)
      : machine_(machine), inbox_(inbox), out_(out) {}

  void write(const RankRecord& record) {
    for (const RecordedEvent& e : record.events()) e.is_send ? send(e) : receive(e);
    compute_until(record.ended());
    for (auto& [key, source] : inbox_.sources) take(key.second, source, ~std::uint64_t{0});
  }

 private:
  std::uint32_t add(const Operation& operation) {
    out_.operations.push_back(operation);
    return static_cast<std::uint32_t>(out_.operations.size() - 1);
  }

  void take(Rank from, Inbox::Source& source, std::uint64_t below) {
    for (; source.taken < source.sends.size(); ++source.taken) {
      const RecordedEvent& send = *source.sends[source.taken];
      if (send.number >= below) break;
      received_.push_back(add({.kind = Operation::Kind::receive,
                               .peer = from,
                               .tag = tag_of(send),
                               .amount = send.bytes}));
    }
  }

  void receive(const RecordedEvent& e) {
    const bool all = e.peer == RankRecord::kEverybody;
    auto at = inbox_.sources.lower_bound({e.handler, all ? 0 : e.peer});
    for (; at != inbox_.sources.end() && at->first.first == e.handler; ++at)
      if (all || at->first.second == e.peer) take(at->first.second, at->second, e.number);
    mark_ = std::max(mark_, e.at);
  }

  void send(const RecordedEvent& e) {
    compute_until(e.at);
    const std::uint32_t send = add({.kind = Operation::Kind::send,
                                    .peer = e.peer,
                                    .tag = tag_of(e),
                                    .amount = e.bytes,
                                    .not_before = static_cast<double>(e.at) / machine_.clock_hz});
    if (joined_) out_.dependencies.push_back({send, join_, false});
  }

  /// Adds a computation that waits for everything received since the previous computation, so that
  /// later sends need to wait for this computation only.
  void compute_until(Tick at) {
    const Tick cycles = at > mark_ ? at - mark_ : 0;
    const auto nanoseconds =
        static_cast<std::uint64_t>(static_cast<double>(cycles) * 1e9 / machine_.clock_hz);
    if (received_.empty() && nanoseconds == 0) return;
    const std::uint32_t join = add({.amount = nanoseconds});
    if (joined_) out_.dependencies.push_back({join, join_, false});
    for (const std::uint32_t receive : received_)
      out_.dependencies.push_back({join, receive, false});
    received_.clear();
    join_ = join;
    joined_ = true;
    mark_ = std::max(mark_, at);
  }

  const Machine& machine_;
  Inbox& inbox_;
  RankSchedule& out_;
  std::vector<std::uint32_t> received_;  ///< receives since the last join
  std::uint32_t join_ = 0;
  bool joined_ = false;
  Tick mark_ = 0;  ///< time up to which the schedule is written
};

}  // namespace

Schedule schedule_of(const MessageRecord& record, const Machine& machine) {
  Schedule schedule{"a recorded run", std::vector<RankSchedule>(record.nodes())};
  std::vector<Inbox> inboxes = toroid::inboxes(record);
  for (Rank r = 0; r < record.nodes(); ++r)
    RankWriter(machine, inboxes[r], schedule.ranks[r]).write(record.of(r));
  return schedule;
}

}  // namespace toroid
