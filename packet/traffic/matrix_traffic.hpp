// A traffic from any matrix of bytes, stored as the matrix's entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

struct TrafficEntry {
  Rank from;
  Rank to;
  std::uint64_t bytes;
};

/// A traffic that is stored as its entries; its memory grows with their number.
class MatrixTraffic final : public Traffic {
 public:
  /// Entries of the same pair are added up; entries from a node to itself, or of 0 bytes, are left
  /// out. REQUIRES: ranks below `nodes`.
  MatrixTraffic(std::string name, Rank nodes, std::vector<TrafficEntry> entries);

  /// Every node sends `messages` messages, each to a node drawn from all others.
  static std::vector<TrafficEntry> random_messages(Rank nodes, Rank messages, std::uint64_t bytes,
                                                   std::uint64_t seed);

  std::string_view name() const override { return name_; }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::vector<Rank> targets(Rank from) const override;
  std::vector<Rank> sources(Rank to) const override;
  Rank draw(Rank from, Random& random) const override;

 private:
  std::string name_;
  std::vector<TrafficEntry> entries_;   ///< sorted by source, then by destination; one per pair
  std::vector<std::size_t> row_;        ///< [r]: the first entry of source r
  std::vector<Rank> sources_;           ///< sorted by destination, then by source
  std::vector<std::size_t> column_;     ///< [r]: the first source of destination r
  std::vector<std::uint64_t> through_;  ///< [e]: bytes of its row's entries up to and including e
};

}  // namespace toroid
