#include "fft/layout/redistribution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fft/layout/redistribution_traffic.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

/// Bytes of a Peer and of its transfer's parts in the most common case, in which the transfer is a
/// single box.
constexpr std::size_t kPeerBytes = 320;

std::size_t peers_kept(Rank members, std::int64_t bytes) {
  return bytes >= static_cast<std::int64_t>(members * kPeerBytes) ? members : 1;
}

}  // namespace

void check_extent(const NodeLayout& layout, Rank members) {
  const std::int64_t most = members == 1 ? std::int64_t{UINT32_MAX} : std::int64_t{1} << 31;
  if (layout.extent() > most)
    throw BadInput(fmt::format("a node's local array has {} elements; at most {} can be exchanged",
                               layout.extent(), most));
}

Redistribution::Redistribution(const Distribution& from, const Distribution& to,
                               std::uint32_t element_bytes, const Group& group, PieceRule rule,
                               std::uint32_t packet_bytes)
    : from_(&from),
      to_(&to),
      element_bytes_(element_bytes),
      packet_bytes_(packet_bytes),
      group_(group),
      rule_(rule),
      source_(layout(from, group.self())),
      target_(layout(to, group.self())),
      expected_(1) {
  check_extent(target_, group.size());
  const std::size_t out = peers_kept(group.size(), source_.extent() * element_bytes);
  const std::size_t in = peers_kept(group.size(), target_.extent() * element_bytes);
  std::uint32_t kinds = 1;
  if (rule.planes > 0)
    for (Rank member = 0; member < group.size(); ++member)
      kinds = std::max(kinds, cuts_.emplace_back(cut_of(layout(from, member))).kinds());
  sending_.assign(kinds, std::vector<Peer>(out));
  receiving_.assign(kinds, std::vector<Peer>(in));
  count_packets();
}

PieceCut Redistribution::cut_of(const NodeLayout& layout) const {
  return layout.size() == 0 ? PieceCut() : PieceCut(rule_, layout.boxes()[0].length(rule_.axis));
}

NodeLayout Redistribution::first_planes(const NodeLayout& layout, std::int64_t planes) const {
  if (rule_.planes == 0 || layout.size() == 0) return layout;
  const std::int64_t begin = layout.boxes()[0].lo[rule_.axis];
  return layout.planes(rule_.axis, begin, begin + planes);
}

std::uint32_t Redistribution::packets(const NodeLayout& from, const NodeLayout& to,
                                      std::int64_t planes) const {
  const Transfer transfer(first_planes(from, planes), to, element_bytes_, packet_bytes_);
  return transfer.packets();
}

void Redistribution::expect_from(Rank member, const PieceCut& cut) {
  if (expected_.size() < cut.pieces()) expected_.resize(cut.pieces());
  if (member == group_.self()) return;
  const NodeLayout theirs = layout(*from_, member);
  std::uint32_t kind = ~std::uint32_t{0};
  std::uint32_t each = 0;
  for (std::uint32_t piece = 0; piece < cut.pieces(); ++piece) {
    if (std::exchange(kind, cut.kind(piece)) != cut.kind(piece))
      each = packets(theirs, target_, cut.length(piece));
    expected_[piece] += each;
  }
}

void Redistribution::count_packets() {
  for (Rank member = 0; member < group_.size(); ++member) {
    if (rule_.planes > 0)
      expect_from(member, cuts_[member]);
    else if (member != group_.self())
      expected_[0] += packets(layout(*from_, member), target_, 0);
    if (member == group_.self()) continue;
    const NodeLayout target = layout(*to_, member);
    check_extent(target, group_.size());
    if (rule_.planes == 0) {
      most_packets_ = std::max(most_packets_, packets(source_, target, 0));
      continue;
    }
    const PieceCut& own = cuts_[group_.self()];
    for (std::uint32_t piece = 0; piece < own.pieces(); ++piece)
      if (piece == 0 || own.kind(piece) > 0)
        most_packets_ = std::max(most_packets_, packets(source_, target, own.length(piece)));
  }
}

void Redistribution::assign(Peer& peer, Rank member, std::int64_t planes, bool sending) const {
  peer.member = member;
  const NodeLayout target = sending ? layout(*to_, member) : target_;
  const NodeLayout source = first_planes(sending ? source_ : layout(*from_, member), planes);
  peer.transfer.assign(source, target, element_bytes_, packet_bytes_);
  peer.plane_shift = target.stride(rule_.axis);
}

Redistribution::Message Redistribution::message(Peers& peers, Rank member, std::uint32_t piece,
                                                bool sending) const {
  const PieceCut* const cut =
      rule_.planes == 0 ? nullptr : &cuts_[sending ? group_.self() : member];
  if (piece >= (cut == nullptr ? 1 : cut->pieces())) return {nullptr, 0};
  std::vector<Peer>& known = peers[cut == nullptr ? 0 : cut->kind(piece)];
  Peer& peer = known[known.size() == 1 ? 0 : member];
  if (peer.member != member) [[unlikely]]
    assign(peer, member, cut == nullptr ? 0 : cut->length(piece), sending);
  return {&peer.transfer, cut == nullptr ? 0 : cut->begin(piece) * peer.plane_shift};
}

Redistribution::Message Redistribution::to(Rank member, std::uint32_t piece) const {
  return message(sending_, member, piece, true);
}

Redistribution::Message Redistribution::from(Rank member, std::uint32_t piece) const {
  return message(receiving_, member, piece, false);
}

std::unique_ptr<const Traffic> Redistribution::traffic(std::uint32_t piece) const {
  return std::make_unique<RedistributionTraffic>(*from_, *to_, element_bytes_, group_, rule_,
                                                 piece);
}

}  // namespace toroid::fft
