#include "fft/redistribution.hpp"

#include <bit>

namespace toroid {
namespace {

/// Set in an argument that names a packet of a message; otherwise it is a place.
constexpr std::uint32_t kNamesPacket = std::uint32_t{1} << 31;
/// What a transfer of the commonest kind occupies, a box with all that belongs to it.
constexpr std::size_t kPeerBytes = 320;

std::size_t peers_kept(Rank members, std::size_t elements) {
  return elements * sizeof(Complex) >= members * kPeerBytes ? members : 1;
}

}  // namespace

Redistribution::Redistribution(const Decomposition& decomposition, const Exchange& exchange,
                               Rank self, std::span<const Complex> source,
                               std::span<Complex> target)
    : Redistribution(decomposition, exchange, self,
                     decomposition.layout(exchange.from, decomposition.grid().coord(self)), source,
                     target) {}

Redistribution::Redistribution(const Decomposition& decomposition, const Exchange& exchange,
                               Rank self, const NodeLayout& source_layout,
                               std::span<const Complex> source, std::span<Complex> target)
    : decomposition_(&decomposition),
      exchange_(exchange),
      group_(decomposition.grid().group(exchange.first_axis, exchange.last_axis, self)),
      number_bits_(31 - static_cast<unsigned>(std::bit_width(group_.size() - 1))),
      source_layout_(source_layout),
      target_layout_(layout(exchange.to, group_.self())),
      source_(source),
      target_(target),
      sending_(peers_kept(group_.size(), source.size())),
      receiving_(peers_kept(group_.size(), target.size())) {
  CHECK_EQ(static_cast<std::int64_t>(source.size()), source_layout_.extent());
  CHECK_EQ(static_cast<std::int64_t>(target.size()), target_layout_.extent());
  CHECK_LE(target.size(), std::size_t{kNamesPacket});
  count_packets();
  CHECK_LE(most_packets_, std::uint32_t{1} << number_bits_);
}

void Redistribution::count_packets() {
  Transfer transfer;
  for (Rank member = 0; member < group_.size(); ++member) {
    if (member == group_.self()) continue;
    transfer.assign(source_layout_, layout(exchange_.to, member));
    most_packets_ = std::max(most_packets_, transfer.packets());
    transfer.assign(layout(exchange_.from, member), target_layout_);
    packets_expected_ += transfer.packets();
  }
}

NodeLayout Redistribution::layout(Distribution distribution, Rank member) const {
  return decomposition_->layout(distribution, decomposition_->grid().coord(group_.rank(member)));
}

const Transfer& Redistribution::to(Rank member) const {
  Peer& peer = slot(sending_, member);
  if (peer.member != member) [[unlikely]] {
    peer.transfer.assign(source_layout_, layout(exchange_.to, member));
    peer.member = member;
  }
  return peer.transfer;
}

const Transfer& Redistribution::from(Rank member) const {
  Peer& peer = slot(receiving_, member);
  if (peer.member != member) [[unlikely]] {
    peer.transfer.assign(layout(exchange_.from, member), target_layout_);
    peer.member = member;
  }
  return peer.transfer;
}

std::uint64_t Redistribution::bytes_to(Rank member) const {
  return std::uint64_t{pieces_.quotient(to(member).size())} * sizeof(Complex);
}

MessageRun Redistribution::run(Rank member, std::uint32_t first, std::uint32_t limit) const {
  const Transfer& transfer = to(member);
  const std::uint32_t packets = packets_of_piece(transfer);
  if (first >= packets) return {};
  const std::uint32_t in_message = number_in_message(transfer, first);
  return {transfer.elements(in_message).count * unsigned{sizeof(Complex)},
          std::min({limit, transfer.alike(in_message), packets - first})};
}

std::uint32_t Redistribution::gather(Rank member, std::uint32_t number,
                                     std::span<std::byte> payload) const {
  const Transfer& transfer = to(member);
  const std::uint32_t in_message = number_in_message(transfer, number);
  const Transfer::Elements elements = transfer.elements(in_message);
  transfer.gather(elements, source_.data(), payload.data());
  if (transfer.in_runs()) return static_cast<std::uint32_t>(transfer.target_offset(elements.first));
  return kNamesPacket | group_.self() << number_bits_ | in_message;
}

void Redistribution::arrive(const Packet& packet) {
  const std::uint32_t argument = packet.header.argument();
  if ((argument & kNamesPacket) == 0) return arrive_in_run(packet);
  const Rank member = (argument & ~kNamesPacket) >> number_bits_;
  const std::uint32_t number = argument & ((std::uint32_t{1} << number_bits_) - 1);
  const Transfer& transfer = from(member);
  transfer.scatter(transfer.elements(number), packet.payload.data(), target_.data());
}

void Redistribution::arrive_in_run(const Packet& packet) {
  const std::size_t place = packet.header.argument();
  const std::size_t bytes = packet.header.payload_bytes();
  CHECK_LE(place + bytes / sizeof(Complex), target_.size());
  std::memcpy(static_cast<void*>(target_.data() + place), packet.payload.data(), bytes);
}

void Redistribution::copy_own() {
  const Transfer& own = to(group_.self());
  const std::uint32_t count = pieces_.quotient(own.size());
  own.copy({piece_ * count, count}, source_.data(), target_.data());
}

bool Redistribution::cut_by_planes() {
  if (source_layout_.size() == 0) return false;
  const auto planes = static_cast<std::uint32_t>(source_layout_.boxes()[0].length(0));
  for (Rank member = 0; member < group_.size(); ++member)
    if (!to(member).follows_planes(planes)) return false;
  most_packets_ /= planes;
  pieces_ = Divisor(planes);
  return true;
}

void Redistribution::set_piece(std::uint32_t plane, std::span<const Complex> source) {
  CHECK_LT(plane, pieces_.value());
  CHECK_EQ(source.size(), source_.size());
  piece_ = plane;
  source_ = source;
}

}  // namespace toroid
