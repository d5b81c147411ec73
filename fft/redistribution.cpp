#include "fft/redistribution.hpp"

namespace toroid {
namespace {

std::uint32_t packets_for(std::int64_t elements) {
  return static_cast<std::uint32_t>((elements + Redistribution::kPerPacket - 1) /
                                    Redistribution::kPerPacket);
}

}  // namespace

Redistribution::Redistribution(const Decomposition& decomposition, const Exchange& exchange,
                               Rank self, std::span<const Complex> source,
                               std::span<Complex> target)
    : decomposition_(&decomposition),
      exchange_(exchange),
      group_(decomposition.grid().group(exchange.first_axis, exchange.last_axis, self)),
      source_layout_(layout(exchange.from, group_.self())),
      target_layout_(layout(exchange.to, group_.self())),
      source_(source),
      target_(target) {
  CHECK_EQ(static_cast<std::int64_t>(source.size()), source_layout_.size());
  CHECK_EQ(static_cast<std::int64_t>(target.size()), target_layout_.size());
  for (Rank member = 0; member < group_.size(); ++member) {
    if (member == group_.self()) continue;
    most_packets_ = std::max(most_packets_, packets_for(to(member).size()));
    packets_expected_ += packets_for(from(member).size());
  }
}

NodeLayout Redistribution::layout(Distribution distribution, Rank member) const {
  return decomposition_->layout(distribution, decomposition_->grid().coord(group_.rank(member)));
}

const Transfer& Redistribution::to(Rank member) const {
  if (sending_.member != member) {
    const NodeLayout other = layout(exchange_.to, member);
    sending_ = {member, other, Transfer(source_layout_, other)};
  }
  return sending_.transfer;
}

const Transfer& Redistribution::from(Rank member) const {
  if (receiving_.member != member) {
    const NodeLayout other = layout(exchange_.from, member);
    receiving_ = {member, other, Transfer(other, target_layout_)};
  }
  return receiving_.transfer;
}

std::uint64_t Redistribution::bytes_to(Rank member) const {
  return static_cast<std::uint64_t>(to(member).size()) * sizeof(Complex);
}

std::uint32_t Redistribution::argument(Rank member, std::uint32_t packet) const {
  const Index first = to(member).element(packet * kPerPacket);
  const std::int64_t place = sending_.other.offset(first);
  CHECK(place >= 0 && place <= std::int64_t{UINT32_MAX});
  return static_cast<std::uint32_t>(place);
}

void Redistribution::gather(Rank member, std::uint32_t packet, std::span<std::byte> payload) const {
  const Transfer& transfer = to(member);
  const std::int64_t stride = source_layout_.stride(transfer.fastest_axis());
  std::byte* out = payload.data();
  const auto elements = static_cast<std::int64_t>(payload.size() / sizeof(Complex));
  transfer.for_each_run(packet * kPerPacket, elements, [&](const Index& at, std::int64_t length) {
    const Complex* in = source_.data() + source_layout_.offset(at);
    for (std::int64_t i = 0; i < length; ++i, out += sizeof(Complex))
      std::memcpy(out, in + i * stride, sizeof(Complex));
  });
}

void Redistribution::arrive(const Packet& packet) {
  const Index first = target_layout_.index(packet.header.argument());
  const Rank sender = decomposition_->grid().rank(decomposition_->owner(exchange_.from, first));
  const Transfer& transfer = from(group_.member(sender));
  const std::byte* in = packet.payload.data();
  const auto elements = static_cast<std::int64_t>(packet.header.payload_bytes() / sizeof(Complex));
  transfer.for_each_run(transfer.number(first), elements,
                        [&](const Index& at, std::int64_t length) {
                          const auto bytes = static_cast<std::size_t>(length) * sizeof(Complex);
                          std::memcpy(target_.data() + target_layout_.offset(at), in, bytes);
                          in += bytes;
                        });
}

void Redistribution::copy_own() {
  const Transfer own(source_layout_, target_layout_);
  const std::int64_t stride = source_layout_.stride(own.fastest_axis());
  own.for_each_run(0, own.size(), [&](const Index& at, std::int64_t length) {
    const Complex* in = source_.data() + source_layout_.offset(at);
    Complex* out = target_.data() + target_layout_.offset(at);
    for (std::int64_t i = 0; i < length; ++i) out[i] = in[i * stride];
  });
}

}  // namespace toroid
