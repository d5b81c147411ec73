#include "fft/execute/collective_exchange.hpp"

#include <fmt/core.h>

#include <limits>

#include "fft/layout/redistribution_message.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {
namespace {

/// Bytes of a message; 0 if there is no transfer and hence no message. Throws BadInput if the
/// message is too long for message passing.
std::uint32_t bytes_of(const Transfer* transfer) {
  if (transfer == nullptr) return 0;
  const std::uint64_t bytes = std::uint64_t{transfer->size()} * transfer->element_bytes();
  if (bytes > std::numeric_limits<std::uint32_t>::max())
    throw BadInput(fmt::format(
        "a message of {} bytes is too long for message passing; expected less than 4 GiB", bytes));
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

CollectiveExchange::CollectiveExchange(MessagePassing& layer, Communicator communicator,
                                       const Distribution& from, const Distribution& to,
                                       std::uint32_t element_bytes, const Group& group,
                                       std::span<std::byte> target)
    : layer_(&layer),
      redistribution_(from, to, element_bytes, group, {}),
      blocks_(layer, group, communicator, lengths()),
      target_(target) {}

AllToAll::Lengths CollectiveExchange::lengths() const {
  AllToAll::Lengths lengths;
  for (Rank member = 0; member < redistribution_.group().size(); ++member) {
    lengths.to.push_back(bytes_of(redistribution_.to(member, 0).transfer));
    lengths.from.push_back(bytes_of(redistribution_.from(member, 0).transfer));
  }
  return lengths;
}

void CollectiveExchange::start(const std::byte* source) {
  const Group& group = redistribution_.group();
  for (Rank member = 0; member < group.size(); ++member) {
    const Transfer* transfer = redistribution_.to(member, 0).transfer;
    if (transfer == nullptr) continue;
    if (member == group.self())
      transfer->copy({0, transfer->size()}, source, target_.data());
    else
      transfer->gather_blocks({0, transfer->size()}, source, blocks_.to(member).data());
    layer_->spend_copy(bytes_of(transfer));
  }
  blocks_.start();
}

void CollectiveExchange::finish() {
  const Group& group = redistribution_.group();
  for (Rank member = 0; member < group.size(); ++member) {
    const Transfer* transfer = redistribution_.from(member, 0).transfer;
    if (transfer == nullptr || member == group.self()) continue;
    transfer->scatter({0, transfer->size()}, blocks_.from(member).data(), target_.data());
    layer_->spend_copy(bytes_of(transfer));
  }
}

}  // namespace toroid::fft
