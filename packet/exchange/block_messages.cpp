#include "packet/exchange/block_messages.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/check.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"

namespace toroid {

void BlockMessages::check(Rank members, std::uint64_t bytes) {
  if (bytes > UINT32_MAX / members)
    throw BadInput(fmt::format("blocks of {} bytes from {} nodes are more than 4 GiB for one node",
                               bytes, members));
}

BlockMessages::BlockMessages(Rank members, Rank self, std::uint64_t bytes)
    : members_(members),
      self_(self),
      bytes_(bytes),
      out_((check(members, bytes), members * bytes)),
      in_(out_.size()) {}

std::uint32_t BlockMessages::gather(Rank member, std::uint32_t packet,
                                    std::span<std::byte> payload) const {
  const std::uint64_t at = std::uint64_t{packet} * kPayloadBytes;
  copy_payload(payload.data(), out_.data() + member * bytes_ + at, payload.size());
  return static_cast<std::uint32_t>(self_ * bytes_ + at);
}

void BlockMessages::arrive(const Packet& packet) {
  const std::uint32_t at = packet.header.argument();
  const unsigned bytes = packet.header.payload_bytes();
  TOROID_CHECK_LE(at + std::size_t{bytes}, in_.size());
  copy_payload(in_.data() + at, packet.payload.data(), bytes);
}

}  // namespace toroid
