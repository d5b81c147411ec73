// Lower bounds on the time of an all-to-all that no schedule can beat. Every result shows them.
//
// If nodes have several ranks, messages go from rank to rank, and all ranks of a node take part, in
// one group or in several. Links carry the messages between nodes; a processor is that of a rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// An exact number of messages over one link. It need not be whole: in an all-to-all on a ring of k
/// nodes, for example, it is k² / 8 if k is even.
struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
  std::uint64_t rounded_up() const { return (numerator + denominator - 1) / denominator; }
  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

/// Number of messages over the hottest link of dimension d in an all-to-all over the whole shape,
/// with one message per ordered pair and the best-balanced minimal routing. 0 if the extent of d is
/// 1. On a twisted torus, where paths along other dimensions may be equally short, this counts only
/// the hops along d that no choice of shortest paths avoids.
Fraction hottest_link_messages(const Shape& shape, unsigned d);
/// Number of messages over the hottest link of all dimensions. Three cases differ:
/// - On a twisted torus it is the mean load of the links of a set of dimensions, namely of the set
///   for which this mean is largest. All nodes have equal paths, so the paths from node 0 are
///   enough to compute it.
/// - With failed links it is the load of the intact machine, which fewer links can only raise, or
///   the mean load of the working links if that is higher.
/// - With dead nodes it is the mean load of the working links, for the messages among living nodes.
Fraction hottest_link_messages(const Shape& shape);

/// Number of packets of one message, and the bytes that they occupy on a link.
struct MessageCost {
  std::uint64_t packets = 0;
  std::uint64_t wire_bytes = 0;  ///< sum of Machine::wire_bytes() over the packets
};
/// A message is cut into full packets and, if bytes are left, one shorter packet. An empty message
/// takes no packet.
MessageCost message_cost(const Machine& machine, std::uint64_t payload_bytes);

/// The cost of a message that is sent even if it is empty: then it is one packet of one chunk.
MessageCost sent_message_cost(const Machine& machine, std::uint64_t payload_bytes);

/// The directions that shortest paths take; both directions of a dimension if they are equally
/// short.
DirectionSet shortest_directions(const Shape& shape, const Coord& from, const Coord& to);
/// The least number of cycles from the start of a message until its last packet is received, if the
/// message has the machine to itself. `links`: the number of links by which its packets can leave
/// the sender. The longest of three times counts: that of injecting all packets, that of the link
/// that carries most of them, and that of receiving all packets. 0 without packets.
Tick lone_message_cycles(const Machine& machine, const MessageCost& message, unsigned hops,
                         unsigned links);
/// Whether packets may leave the shortest ways, to go around failures.
bool takes_long_ways(const Shape& shape);
/// The least number of cycles of a message between ranks of one node, which copy its packets to and
/// from their memory. 0 without packets.
Tick memory_message_cycles(const Machine& machine, const MessageCost& message);
/// Whether a message between these ranks stays in the memory of their node.
bool stays_in_node(const Shape& shape, const Coord& from, const Coord& to);
/// lone_message_cycles() of a message from one node to another, or memory_message_cycles() within a
/// node. Its packets take shortest paths or, if the shape allows long ways around failures, may
/// leave by every link.
Tick lone_message_cycles(const Machine& machine, const MessageCost& message, const Shape& shape,
                         const Coord& from, const Coord& to);
/// The hops of a message along one dimension, and the number of links by which it can leave.
struct Leg {
  unsigned hops;
  unsigned links;
};
/// The legs along dimension d that may make a message the slowest, from or to coordinate `at` or,
/// on a torus, any coordinate: no hop, as many hops as possible and, if these may go both ways
/// round a ring, one hop less.
std::vector<Leg> longest_legs(const Shape& shape, unsigned d, unsigned at);
/// The largest lone_message_cycles() if the message goes along any leg of each dimension.
Tick slowest_message_cycles(const Machine& machine, const MessageCost& message,
                            std::span<const std::vector<Leg>> legs);

/// Lower bounds in cycles, each rounded up.
struct Bounds {
  Tick hottest_link = 0;
  Tick injection = 0;  ///< time in which the busiest node sends, or receives, its packets if it
                       ///< uses all of its links
  Tick processor = 0;  ///< time of the busiest rank's processor
  Tick zero_load = 0;  ///< time of the message that takes longest if each has the machine to itself
  Tick engine = 0;     ///< time of the busiest DMA engine, if engines move the packets
  Tick max() const;
};
/// The bounds of an all-to-all in which every member of a group sends one message to every other.
/// `group` has extent 1 in the dimensions that the exchange does not use.
Bounds all_to_all_bounds(const Machine& machine, const Shape& group, const MessageCost& message);

/// Returns the machine with the DMA engines' cycles per packet in place of the processors'. Use it
/// for the bounds of packets that engines move. REQUIRES: the machine has DMA engines.
Machine moved_by_engines(Machine machine);
/// Corrects bounds that were computed for moved_by_engines(). Their processor bound becomes the
/// engine bound; the new processor bound is the time to write descriptors of `messages` messages.
Bounds bounds_by_engines(Bounds bounds, const Machine& machine, std::uint64_t messages);

/// Number of links of a node that lead to a neighbour. On a mesh, where the nodes at the edges have
/// fewer, this is the number for an inner node.
unsigned usable_links(const Shape& shape);
/// The number of hops between the two nodes that are farthest apart.
unsigned diameter(const Shape& shape);

}  // namespace toroid
