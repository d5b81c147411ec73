#include "router/sim/routers.hpp"

#include <fmt/core.h>

#include "hal/check.hpp"
#include "hal/packet.hpp"

namespace toroid::sim {

Routers::Routers(const Shape& shape, const Machine& machine, Range block)
    : shape_(shape),
      failures_(shape_.failures()),
      block_(block),
      degree_(shape.links()),
      channels_(degree_ * kVirtualChannels),
      inputs_(channels_ + machine.injection_fifos + machine.priority_injection_fifos),
      state_bytes_(offsetof(RouterState, words) + 2 * degree_ * sizeof(std::uint64_t)),
      links_(std::size_t{block.count} * degree_),
      counters_(links_.size()),
      queues_(std::size_t{block.count} * inputs_),
      state_(block.count, {.idle = static_cast<std::uint16_t>((1u << degree_) - 1)}),
      stalled_(std::size_t{block.count} * (inputs_ - channels_)),
      exposed_at_(machine.escape_wait_cycles == 0 ? 0 : queues_.size()),
      marked_(block.count + std::size_t{1}) {
  if (inputs_ > 64)
    throw BadInput(
        fmt::format("{} channels and injection FIFOs per node; sim supports at most 64", inputs_));
  connect(machine);
}

/// Gives every link its neighbour, and the room of the neighbour's input channels as tokens.
void Routers::connect(const Machine& machine) {
  Tokens tokens;
  for (unsigned c = 0; c < kVirtualChannels; ++c)
    tokens[c] = static_cast<std::uint16_t>(machine.channel_chunks(static_cast<VirtualChannel>(c)));
  for (Rank node = 0; node < block_.count; ++node)
    for (unsigned l = 0; l < degree_; ++l) {
      const auto next = shape_.neighbour(rank_of(node), {static_cast<std::uint8_t>(l)});
      link(node, l) = {.neighbour = next.value_or(OutputLink::kNone), .tokens = tokens};
    }
}

std::uint64_t Routers::stalled_cycles(Tick now, Rank node, unsigned fifo) const {
  const Input input = Input::fifo(degree_, fifo);
  const bool waits =
      has_waiting_head(node, input) && (state_[node].at_destination & input.bit()) == 0;
  return stalled_[std::size_t{node} * (inputs_ - channels_) + fifo] + (waits ? now : 0);
}

}  // namespace toroid::sim
