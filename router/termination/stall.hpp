// Why a run cannot go on: who waits for what.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/processor.hpp"
#include "hal/shape.hpp"
#include "router/rules/routing.hpp"

namespace toroid {

/// A machine in which nothing moves any more, as its fabric shows it.
class Standstill {
 public:
  virtual ~Standstill() = default;
  virtual const Shape& shape() const = 0;
  /// Those that it shows.
  virtual std::vector<Rank> nodes() const;
  /// Places of a node where packets wait: Source(0) to Source(sources() - 1).
  virtual unsigned sources() const = 0;
  /// The packet at the head of one; none: nobody waits there.
  virtual std::optional<RoutedPacket> head(Rank node, Source source) const = 0;
  virtual const Processor& processor(Rank node) const = 0;
  virtual std::uint64_t packets_under_way() const = 0;
};

/// Empty: everything has finished and nothing is under way. Else the report: the cycle of buffers
/// if packets block each other, or the nodes whose programs wait for ever. `when` is as in "at
/// cycle 7".
std::string stall_report(const Standstill& standstill, const std::string& when);

/// What a node's turn threw, with the node's coordinates.
RunFailed node_failed(const Shape& shape, Rank node, const std::exception& error);

}  // namespace toroid
