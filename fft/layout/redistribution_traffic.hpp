// The traffic of a redistribution among the members of a group: what policies are asked about and
// what combining is planned for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Message sizes are the intersections of the members' layouts before and after; the members'
/// numbers are the ranks of the traffic.
class RedistributionTraffic final : public Traffic {
 public:
  /// `piece`: one of those that `rule` cuts the exchange into; none: all of them together. The
  /// distributions must outlive it.
  RedistributionTraffic(const Distribution& from, const Distribution& to,
                        std::uint32_t element_bytes, const Group& group, PieceRule rule = {},
                        std::optional<std::uint32_t> piece = std::nullopt);

  std::string_view name() const override { return "redistribution"; }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::vector<Rank> targets(Rank from) const override;
  std::vector<Rank> sources(Rank to) const override;
  Rank draw(Rank from, Random& random) const override;

 private:
  std::vector<NodeLayout> before_;  ///< by member
  std::vector<NodeLayout> after_;
  std::uint32_t element_bytes_;
};

}  // namespace toroid
