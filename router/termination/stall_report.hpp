// The report of a run that cannot go on: which packet or program waits for what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"

namespace toroid::termination {

/// A machine in which nothing moves any more, as shown by its fabric.
class StalledMachine {
 public:
  virtual ~StalledMachine() = default;
  virtual const Shape& shape() const = 0;
  /// The ranks that the fabric shows; by default all. Below, routers are given by their nodes, and
  /// processors by their ranks.
  virtual std::vector<Rank> nodes() const;
  /// Number of places where packets wait in a node: Input(0) to Input(inputs() - 1).
  virtual unsigned inputs() const = 0;
  /// The packet at the head of such a place; none if it is empty.
  virtual std::optional<RoutedPacket> head(Rank node, Input input) const = 0;
  virtual const Processor& processor(Rank node) const = 0;
  virtual std::uint64_t packets_under_way() const = 0;
};

/// Reports how many packets are in flight, and a cycle of buffers in which packets block each
/// other. Also reports how many programs wait, and what the first of them waits for. Empty if every
/// program has finished and no packet is in flight. `when` is a phrase such as "at cycle 7".
std::string stall_report(const StalledMachine& machine, const std::string& when);

/// Reports what a run is doing: the nodes that do not return from a turn, and the busiest ones.
/// `begin` is the report's beginning, such as "the run did not end within 10 s". If nodes are in a
/// turn it takes a tenth of a second, to see whether they return. Any thread may call it during the
/// run.
std::string activity_report(const StalledMachine& machine, const std::string& begin);

}  // namespace toroid::termination
