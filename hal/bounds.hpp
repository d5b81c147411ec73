// Lower bounds that no schedule can beat; printed beside every result.
#pragma once

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// An exact number of messages over one link; k² / 8 and k / 4 are not always whole.
struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  std::uint64_t rounded_up() const { return (numerator + denominator - 1) / denominator; }
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

/// Messages over the hottest link of dimension d in an all-to-all over the whole shape, with one
/// message per ordered pair and minimal routing that balances best. 0 if the extent is 1. On a
/// twisted torus, where paths along other dimensions may be equally short: the messages that no
/// choice among those avoids.
Fraction hottest_link_messages(const Shape& shape, unsigned d);
/// The maximum over the dimensions. On a twisted torus: the maximum over the sets of dimensions, of
/// the mean load of the set's links; all nodes are alike, so that a mean over them holds for each.
/// With failures: the load without them, since fewer links only raise it, or the mean load of the
/// links that work if that is more. With dead nodes: only the latter, of the messages among the
/// living.
Fraction hottest_link_messages(const Shape& shape);

/// The packets of one message.
struct MessageCost {
  std::uint64_t packets = 0;
  std::uint64_t wire_bytes = 0;  ///< sum of 32·chunks + 14
};
/// A message cut into full packets and one rest. An empty message takes no packet.
MessageCost message_cost(const Machine& machine, std::uint64_t payload_bytes);

/// In cycles, each rounded up.
struct Bounds {
  Tick hottest_link = 0;
  Tick injection = 0;  ///< links of the busiest node, which are injection's and reception's
  Tick processor = 0;
  Tick zero_load = 0;
  Tick engine = 0;  ///< the busiest DMA engine, where these move packets
  Tick max() const;
};
/// Every member of a group sends one message to every other. `group` has extent 1 in the dimensions
/// that the exchange does not use.
Bounds all_to_all_bounds(const Machine& machine, const Shape& group, const MessageCost& message);

/// The machine as packets see it that its DMA engines move: what these take per packet stands where
/// the processors' numbers are. REQUIRES: it has such engines.
Machine moved_by_engines(Machine machine);
/// Bounds that were made of such a machine: what they say of processors is the engines'. A
/// processor writes descriptors of `messages` messages.
Bounds bounds_by_engines(Bounds bounds, const Machine& machine, std::uint64_t messages);

/// Links of one node that lead anywhere; on a mesh, of an inner node.
unsigned usable_links(const Shape& shape);
/// The longest of the shortest ways.
unsigned diameter(const Shape& shape);

}  // namespace toroid
