// Who sends how much to whom: the traffic under which policies are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"

namespace toroid {

class KnownBounds;

/// A matrix of payload bytes, by source and destination, for one shape. All calls are const and may
/// come from several threads at once. The diagonal is empty.
class Traffic {
 public:
  virtual ~Traffic() = default;

  virtual std::string_view name() const = 0;
  /// Payload bytes of the message from one node to another; 0 if there is none.
  virtual std::uint64_t bytes(Rank from, Rank to) const = 0;
  /// Payload bytes of every message if all are equally long; none if bytes() must be asked for
  /// each.
  virtual std::optional<std::uint64_t> message_bytes() const { return std::nullopt; }
  /// Whether every node sends message_bytes() to every other, so that closed formulas hold.
  virtual bool is_uniform_all_to_all() const { return false; }
  /// If the traffic is an all-to-all of message_bytes() within groups: the dimensions, as bits, in
  /// which the nodes of a group differ. Otherwise 0.
  virtual unsigned all_to_all_inside() const { return is_uniform_all_to_all() ? ~0u : 0; }
  /// Whether a node receives the same number of bytes from every other.
  virtual bool has_equal_sources() const { return is_uniform_all_to_all(); }
  /// The nodes that `from` sends to, ascending, without itself.
  virtual std::vector<Rank> targets(Rank from) const = 0;
  /// The nodes that send to `to`, ascending, without itself.
  virtual std::vector<Rank> sources(Rank to) const = 0;
  /// Draws the destination of the next message that node `from` sends, if messages are generated
  /// one at a time (OpenLoop). The probability of a node is its share of the bytes that `from`
  /// sends. REQUIRES: `from` has targets.
  virtual Rank draw(Rank from, Random& random) const = 0;

  /// From now on, traffic_bounds() keeps the bounds of this traffic, and copies share them. Worth
  /// it if several runs ask for them.
  void keep_bounds();
  /// Where the bounds are kept; null if they are not.
  virtual KnownBounds* known_bounds() const { return known_bounds_.get(); }

 private:
  std::shared_ptr<KnownBounds> known_bounds_;
};

}  // namespace toroid
