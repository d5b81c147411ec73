#include "packet/exchange/block_messages.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "hal/check.hpp"

namespace toroid {

void BlockMessages::check(Rank members, std::uint64_t bytes) {
  if (bytes > UINT32_MAX / members)
    throw BadInput(fmt::format("blocks of {} bytes from {} nodes are more than 4 GiB for one node",
                               bytes, members));
}

BlockMessages::BlockMessages(const Shape& shape, Rank self, std::uint64_t bytes,
                             unsigned per_packet)
    : UniformMessages(shape, bytes, per_packet),
      self_(self),
      out_((check(shape.size(), bytes), shape.size() * bytes)),
      in_(out_.size()) {}

std::uint32_t BlockMessages::gather(Rank member, std::uint32_t packet,
                                    std::span<std::byte> payload) const {
  const std::uint64_t at = std::uint64_t{packet} * cut_.per_packet();
  copy_payload(payload.data(), out_.data() + member * bytes_ + at, payload.size());
  return static_cast<std::uint32_t>(self_ * bytes_ + at);
}

void BlockMessages::arrive_at(std::uint32_t place, std::span<const std::byte> payload) {
  TOROID_CHECK_LE(place + payload.size(), in_.size());
  copy_payload(in_.data() + place, payload.data(), payload.size());
}

void BlockMessages::arrive(Rank from, std::uint32_t packet, std::span<const std::byte> payload) {
  arrive_at(static_cast<std::uint32_t>(from * bytes_ + std::uint64_t{packet} * cut_.per_packet()),
            payload);
}

std::size_t BlockMessages::take(Rank from, std::uint32_t first, std::uint32_t packets,
                                const std::byte* source) {
  return copy_packets(cut_, first, packets, source, std::span(in_).subspan(from * bytes_, bytes_));
}

std::size_t BlockMessages::pack_part(const MessagePart& part, std::span<std::byte> packed) const {
  return pack_packets(cut_, part, source(part.member), packed);
}

bool BlockMessages::unpack_part(const MessagePart& part, std::span<const std::byte> packed) {
  return unpack_packets(cut_, part, packed, std::span(in_).subspan(part.member * bytes_, bytes_));
}

std::span<const std::byte> BlockMessages::offer_part(const MessagePart& part,
                                                     std::size_t least) const {
  return part_if_long(cut_, part, source(part.member), least);
}

bool BlockMessages::land_part(const MessagePart& part, std::vector<PutStretch>& landing) {
  return land_packets(cut_, part, std::span(in_).subspan(part.member * bytes_, bytes_), landing);
}

void BlockMessages::pack(Rank member, std::vector<std::byte>& bytes) const {
  const std::byte* block = out_.data() + member * bytes_;
  bytes.insert(bytes.end(), block, block + bytes_);
}

void BlockMessages::unpack(Rank from, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, in_.data() + from * bytes_);
}

}  // namespace toroid
