// Lower bounds on the time of an all-to-all that no schedule can beat. Every result shows them.
#pragma once

#include <cstdint>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// An exact number of messages over one link. k² / 8 and k / 4 are not always whole.
struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  std::uint64_t rounded_up() const { return (numerator + denominator - 1) / denominator; }
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

/// Messages over the hottest link of dimension d in an all-to-all over the whole shape, with one
/// message per ordered pair and the best-balanced minimal routing. 0 if the extent is 1. On a
/// twisted torus, where paths along other dimensions may be equally short, this counts only the
/// hops along d that no choice of shortest paths avoids.
Fraction hottest_link_messages(const Shape& shape, unsigned d);
/// The load of the hottest link of all dimensions. Three cases are special:
/// - On a twisted torus: the maximum, over the sets of dimensions, of the mean load of the set's
///   links. All nodes are alike, so a mean over nodes holds for each node.
/// - With failed links: the load of the intact machine (fewer links only raise it), or the mean
///   load of the working links if that is higher.
/// - With dead nodes: the mean load of the working links, for the messages among living nodes.
Fraction hottest_link_messages(const Shape& shape);

/// The packets of one message.
struct MessageCost {
  std::uint64_t packets = 0;
  std::uint64_t wire_bytes = 0;  ///< sum of 32·chunks + 14
};
/// A message is cut into full packets and one shorter rest. An empty message takes no packet.
MessageCost message_cost(const Machine& machine, std::uint64_t payload_bytes);

/// Lower bounds in cycles, each rounded up.
struct Bounds {
  Tick hottest_link = 0;
  Tick injection = 0;  ///< the busiest node's links, for sending and for receiving alike
  Tick processor = 0;
  Tick zero_load = 0;
  Tick engine = 0;  ///< the busiest DMA engine, if engines move the packets
  Tick max() const;
};
/// Every member of a group sends one message to every other. `group` has extent 1 in the dimensions
/// that the exchange does not use.
Bounds all_to_all_bounds(const Machine& machine, const Shape& group, const MessageCost& message);

/// Returns the machine with the DMA engines' cycles per packet in place of the processors'. Use it
/// for the bounds of packets that engines move. REQUIRES: the machine has DMA engines.
Machine moved_by_engines(Machine machine);
/// Corrects bounds that were computed for moved_by_engines(). Their processor bound becomes the
/// engine bound; the new processor bound is the time to write descriptors of `messages` messages.
Bounds bounds_by_engines(Bounds bounds, const Machine& machine, std::uint64_t messages);

/// Number of links of a node that lead to a neighbour; on a mesh, for an inner node.
unsigned usable_links(const Shape& shape);
/// The number of hops between the two nodes that are farthest apart.
unsigned diameter(const Shape& shape);

}  // namespace toroid
