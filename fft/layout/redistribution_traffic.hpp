// A redistribution as traffic among the members of a group. Policies choose their settings by it,
// and the combining of messages is planned with it.
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

namespace toroid::fft {

/// A message carries the elements that the sender holds before the exchange and the receiver holds
/// after it. The traffic's ranks are the members' numbers in the group.
class RedistributionTraffic final : public Traffic {
 public:
  /// The traffic of one of the pieces into which `rule` cuts the exchange. Without `piece`, it is
  /// the traffic of all pieces together.
  RedistributionTraffic(const Distribution& from, const Distribution& to,
                        std::uint32_t element_bytes, const Group& group, PieceRule rule = {},
                        std::optional<std::uint32_t> piece = std::nullopt);

  std::string_view name() const override { return "redistribution"; }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::vector<Rank> targets(Rank from) const override;
  std::vector<Rank> sources(Rank to) const override;
  Rank draw(Rank from, Random& random) const override;

 private:
  std::vector<NodeLayout> before_;  ///< one per member
  std::vector<NodeLayout> after_;
  std::uint32_t element_bytes_;
};

}  // namespace toroid::fft
