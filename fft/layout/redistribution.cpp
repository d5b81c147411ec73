#include "fft/layout/redistribution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fft/layout/distribution.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/redistribution_traffic.hpp"
#include "fft/layout/transfer.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/group.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid::fft {
namespace {

/// Bytes that a transfer of the most common kind, a single box, occupies with its parts.
constexpr std::size_t kPeerBytes = 320;

std::size_t peers_kept(Rank members, std::int64_t bytes) {
  return bytes >= static_cast<std::int64_t>(members * kPeerBytes) ? members : 1;
}

/// A packet's argument holds a place in 31 bits.
void check_extent(const NodeLayout& layout) {
  if (layout.extent() > std::int64_t{1} << 31)
    throw BadInput(fmt::format("a node's local array of {} elements; at most 2^31 can be exchanged",
                               layout.extent()));
}

}  // namespace

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
  const std::size_t out = peers_kept(group.size(), source_.extent() * element_bytes);
  const std::size_t in = peers_kept(group.size(), target_.extent() * element_bytes);
  sending_.whole.resize(out);
  sending_.rest.resize(out);
  receiving_.whole.resize(in);
  receiving_.rest.resize(in);
  count_packets();
}

Redistribution::Cut Redistribution::cut_of(const NodeLayout& layout) const {
  if (rule_.planes == 0) return {1, 0, 0};
  if (layout.size() == 0) return {0, rule_.planes, 0};
  const std::int64_t length = layout.boxes()[0].length(rule_.axis);
  return {static_cast<std::uint32_t>(length / rule_.planes), rule_.planes, length % rule_.planes};
}

NodeLayout Redistribution::first_planes(const NodeLayout& layout, std::int64_t planes) const {
  if (rule_.planes == 0 || layout.size() == 0) return layout;
  const std::int64_t begin = layout.boxes()[0].lo[rule_.axis];
  return layout.planes(rule_.axis, begin, begin + planes);
}

void Redistribution::expect(const Cut& cut, std::uint64_t whole, std::uint64_t rest) {
  if (expected_.size() < cut.pieces()) expected_.resize(cut.pieces());
  for (std::uint32_t piece = 0; piece < cut.whole; ++piece) expected_[piece] += whole;
  if (cut.rest > 0) expected_[cut.whole] += rest;
}

void Redistribution::count_packets() {
  const Cut own = cut_of(source_);
  Transfer transfer;
  const auto packets = [&](const NodeLayout& from, const NodeLayout& to, std::int64_t planes) {
    transfer.assign(first_planes(from, planes), to, element_bytes_, packet_bytes_);
    return transfer.packets();
  };
  for (Rank member = 0; member < group_.size(); ++member) {
    const NodeLayout theirs = layout(*from_, member);
    const Cut cut = cut_of(theirs);
    if (rule_.planes > 0) cuts_.push_back(cut);
    if (member == group_.self()) {
      expect(cut, 0, 0);
      continue;
    }
    const NodeLayout target = layout(*to_, member);
    check_extent(target);
    if (own.whole > 0)
      most_packets_ = std::max(most_packets_, packets(source_, target, own.planes));
    if (own.rest > 0) most_packets_ = std::max(most_packets_, packets(source_, target, own.rest));
    expect(cut, cut.whole > 0 ? packets(theirs, target_, cut.planes) : 0,
           cut.rest > 0 ? packets(theirs, target_, cut.rest) : 0);
  }
}

void Redistribution::assign(Peer& peer, Rank member, std::int64_t planes, bool sending) const {
  peer.member = member;
  const NodeLayout target = sending ? layout(*to_, member) : target_;
  const NodeLayout source = first_planes(sending ? source_ : layout(*from_, member), planes);
  peer.transfer.assign(source, target, element_bytes_, packet_bytes_);
  peer.plane_shift = target.stride(rule_.axis);
}

Redistribution::Message Redistribution::message(Peers& peers, Rank member, const Cut& cut,
                                                std::uint32_t piece, bool sending) const {
  if (piece >= cut.pieces()) return {nullptr, 0};
  const bool is_rest = piece == cut.whole;
  std::vector<Peer>& known = is_rest ? peers.rest : peers.whole;
  Peer& peer = known[known.size() == 1 ? 0 : member];
  if (peer.member != member) [[unlikely]]
    assign(peer, member, is_rest ? cut.rest : cut.planes, sending);
  return {&peer.transfer, piece * cut.planes * peer.plane_shift};
}

Redistribution::Message Redistribution::to(Rank member, std::uint32_t piece) const {
  const Cut cut = rule_.planes == 0 ? Cut{1, 0, 0} : cuts_[group_.self()];
  return message(sending_, member, cut, piece, true);
}

Redistribution::Message Redistribution::from(Rank member, std::uint32_t piece) const {
  const Cut cut = rule_.planes == 0 ? Cut{1, 0, 0} : cuts_[member];
  return message(receiving_, member, cut, piece, false);
}

std::unique_ptr<const Traffic> Redistribution::traffic(std::uint32_t piece) const {
  return std::make_unique<RedistributionTraffic>(*from_, *to_, element_bytes_, group_, rule_,
                                                 piece);
}

}  // namespace toroid::fft
