// The load that a traffic puts on the machine: by coordinates, by node, by layer of links.
//
// Minimal routing may take hops of different dimensions in any order. But along one dimension a
// message between two given coordinates always crosses the same layers of links. A layer is all
// links from coordinate x to x+1, or all links from x+1 to x. So the bytes that cross a layer
// follow from the traffic alone, and its links can do no better than share them evenly.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hal/bounds.hpp"
#include "hal/direction.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The load of every layer of one dimension: bytes on the wire per link, if the layer's links share
/// the bytes evenly.
struct LayerLoads {
  std::vector<double> plus;   ///< [x]: from x to x+1
  std::vector<double> minus;  ///< [x]: from x+1 to x
  double most() const;
};

/// The packets and bytes that one rank sends, or that it receives, or all ranks of a node together.
struct EndLoad {
  std::uint64_t packets = 0;  ///< to or from other nodes
  double wire_bytes = 0;
  DirectionSet links;        ///< the node's links by which these packets can leave, or can arrive
  std::uint64_t copies = 0;  ///< packets to or from other ranks of the node

  void add(const MessageCost& message, DirectionSet by_links) {
    packets += message.packets;
    wire_bytes += static_cast<double>(message.wire_bytes);
    links.add(by_links);
  }
  EndLoad& operator+=(const EndLoad& other) {
    packets += other.packets;
    wire_bytes += other.wire_bytes;
    links.add(other.links);
    copies += other.copies;
    return *this;
  }
};

/// The directions in which a node has a link.
DirectionSet links_of(const Shape& shape, Rank node);

/// The loads that a traffic puts on layers of links and on nodes.
class TrafficFlow {
 public:
  /// The bytes from one node to another travel as one message of full packets and, if bytes are
  /// left, a shorter one. Takes time in proportion to the number of pairs, or of nodes if
  /// has_equal_sources() holds.
  TrafficFlow(const Machine& machine, const Shape& shape, const Traffic& traffic);

  /// The loads of a dimension's layers. If two ways are equally short, each gets half of the bytes;
  /// if there is a `rule`, the rule decides. REQUIRES: `rule` decides by the coordinate in this
  /// dimension alone; it is parity, plus or minus.
  LayerLoads layers(unsigned dim, std::optional<TieRule> rule = std::nullopt) const;
  /// Bytes on the wire that the hottest link carries at least, under `rule` or, without it, however
  /// ties are decided.
  double hottest_link(std::optional<TieRule> rule = std::nullopt) const;
  /// [rank]
  const std::vector<EndLoad>& sources() const { return sources_; }
  const std::vector<EndLoad>& destinations() const { return destinations_; }
  /// The largest lone_message_cycles() of all messages; 0 if there is no message.
  Tick zero_load() const { return zero_load_; }

 private:
  void add_column(const Machine& machine, Rank to, const MessageCost& cost);
  void take_pairs(const Machine& machine, const Traffic& traffic);
  void take_columns(const Machine& machine, const Traffic& traffic);
  double& between(unsigned d, unsigned from, unsigned to) {
    return between_[d][from * shape_.extent(d) + to];
  }
  LayerLoads layers(unsigned dim, std::optional<TieRule> rule, double tied_share) const;
  double hottest_layer(unsigned dim, std::optional<TieRule> rule) const;

  Shape shape_;
  std::array<std::vector<double>, kMaxDims> between_;  ///< [dimension]: wire bytes from each
                                                       ///< coordinate to each other
  std::vector<EndLoad> sources_;
  std::vector<EndLoad> destinations_;
  Tick zero_load_ = 0;
};

}  // namespace toroid
