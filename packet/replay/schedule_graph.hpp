// A schedule in which every message has two ends and no operations wait for each other in a circle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/replay/schedule.hpp"

namespace toroid {

/// Index of an operation among the operations of all ranks, which are in the order of the ranks and
/// then of the schedule.
using OperationId = std::uint32_t;

struct ScheduleMessage {
  Rank from;
  Rank to;
  OperationId send;
  OperationId receive;
  std::uint64_t bytes;
};

/// The number of packets of a message; a message without bytes is one empty packet.
inline std::uint64_t packets_of(const ScheduleMessage& message) {
  return std::max<std::uint64_t>(1, packets_for(message.bytes));
}

class ScheduleGraph {
 public:
  /// Among the sends and receives with the same source, destination and tag, matches the n-th send
  /// with the n-th receive. Throws BadInput, which names the first message that lacks an end or has
  /// different lengths at its two ends, or operations that wait in a circle.
  explicit ScheduleGraph(const Schedule& schedule);

  /// Throws BadInput with file and line if `rank` has an operation and its node is dead, or if one
  /// of its operations exchanges a message with a dead node.
  void check_living(const Shape& shape, Rank rank) const;

  Rank ranks() const { return static_cast<Rank>(first_.size() - 1); }
  OperationId first(Rank rank) const { return first_[rank]; }
  OperationId last(Rank rank) const { return first_[rank + std::size_t{1}]; }
  const Operation& operation(OperationId id) const { return operations_[id]; }
  const std::vector<ScheduleMessage>& messages() const { return messages_; }
  /// The index in messages() of the message that a send or receive belongs to.
  std::uint32_t message_of(OperationId id) const { return message_of_[id]; }

  struct Dependent {
    OperationId operation;
    bool on_start;
  };
  /// The operations of the same rank that wait for this one.
  std::span<const Dependent> dependents(OperationId id) const {
    return std::span(dependents_)
        .subspan(dependents_from_[id], dependents_from_[id + 1] - dependents_from_[id]);
  }
  /// The number of operations of its rank that an operation waits for.
  std::uint32_t waits(OperationId id) const { return waits_[id]; }
  /// All operations, each after those that it waits for, and a receive after its send.
  const std::vector<OperationId>& order() const { return order_; }

 private:
  void number_operations(const Schedule& schedule);
  void match(const Schedule& schedule);
  void connect(const Schedule& schedule);
  void sort(const Schedule& schedule);
  [[noreturn]] void name_circle(const Schedule& schedule, std::vector<std::uint32_t> waits) const;

  std::string name_;  ///< name of the file
  std::vector<OperationId> first_;
  std::vector<Operation> operations_;
  std::vector<ScheduleMessage> messages_;
  std::vector<std::uint32_t> message_of_;
  std::vector<std::size_t> dependents_from_;
  std::vector<Dependent> dependents_;
  std::vector<std::uint32_t> waits_;
  std::vector<OperationId> order_;
};

}  // namespace toroid
