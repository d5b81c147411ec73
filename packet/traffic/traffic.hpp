// Who sends how much to whom: what policies are judged by.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"

namespace toroid {

/// A matrix of payload bytes, by source and destination; it knows its shape. All calls are const
/// and may come from several threads at once. The diagonal is empty.
class Traffic {
 public:
  virtual ~Traffic() = default;

  virtual std::string_view name() const = 0;
  /// 0: no message.
  virtual std::uint64_t bytes(Rank from, Rank to) const = 0;
  /// Everybody sends equally much to everybody: closed formulas hold.
  virtual bool is_uniform_all_to_all() const { return false; }
  /// Likewise in each group of nodes that differ in some dimensions only: their bits. 0: no groups.
  virtual unsigned all_to_all_inside() const { return is_uniform_all_to_all() ? ~0u : 0; }
  /// What a node receives from another does not depend on which other: a column says it all.
  virtual bool has_equal_sources() const { return is_uniform_all_to_all(); }
  /// Those that `from` sends to, ascending, without itself.
  virtual std::vector<Rank> targets(Rank from) const = 0;
  /// Those that send to `to`, ascending, without itself.
  virtual std::vector<Rank> sources(Rank to) const = 0;
  /// A destination for the next message from `from` where messages come one by one, as often as
  /// its share of the bytes that `from` sends. REQUIRES: it has targets.
  virtual Rank draw(Rank from, Random& random) const = 0;
};

}  // namespace toroid
