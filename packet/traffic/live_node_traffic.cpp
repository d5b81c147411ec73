#include "packet/traffic/live_node_traffic.hpp"

#include "hal/check.hpp"

namespace toroid {

std::uint64_t MaskedTraffic::bytes(Rank from, Rank to) const {
  return shape_.is_alive(from) && shape_.is_alive(to) ? all_->bytes(from, to) : 0;
}

std::vector<Rank> MaskedTraffic::living(Rank self, std::vector<Rank> peers) const {
  if (!shape_.is_alive(self)) return {};
  std::erase_if(peers, [this](Rank peer) { return !shape_.is_alive(peer); });
  return peers;
}

std::vector<Rank> MaskedTraffic::targets(Rank from) const {
  return living(from, all_->targets(from));
}

std::vector<Rank> MaskedTraffic::sources(Rank to) const {
  return living(to, all_->sources(to));
}

/// The loop ends, because `from` has a living target.
Rank MaskedTraffic::draw(Rank from, Random& random) const {
  TOROID_CHECK_IN_CHECKED_BUILD(!targets(from).empty());
  for (;;)
    if (const Rank to = all_->draw(from, random); shape_.is_alive(to)) return to;
}

}  // namespace toroid
