#include "packet/node/barrier.hpp"

#include <bit>

#include "hal/check.hpp"
#include "packet/node/node.hpp"

namespace toroid {

Barrier::Barrier(Rank nodes)
    : rounds_(static_cast<std::uint32_t>(std::bit_width(nodes - 1))), round_(rounds_) {}

void Barrier::enter(Node& node) {
  if (!passed())
    throw RunFailed(
        "the program has reached a barrier before it has passed the one before; use co_await on "
        "every barrier()");
  prepare();
  ++entered_;
  round_ = 0;
  if (!passed()) tell(node);
  advance(node);
}

void Barrier::on_packet(Node& node, std::uint32_t round) {
  TOROID_CHECK_LT(round, rounds_);
  prepare();
  ++arrived_[round];
  advance(node);
}

void Barrier::advance(Node& node) {
  while (!passed() && arrived_[round_] >= entered_) {
    if (node.record() != nullptr) note(node);
    if (++round_; !passed()) tell(node);
  }
}

void Barrier::note(const Node& node) const {
  const auto distance = std::uint64_t{1} << round_;
  const auto from = static_cast<Rank>((node.rank() + node.size() - distance) % node.size());
  node.record()->received(node.now(), kBarrierHandler, from, entered_);
}

void Barrier::tell(Node& node) const {
  const auto distance = std::uint64_t{1} << round_;
  const auto to = static_cast<Rank>((node.rank() + distance) % node.size());
  node.post(to, kBarrierHandler, {}, round_);
}

}  // namespace toroid
