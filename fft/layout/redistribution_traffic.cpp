#include "fft/layout/redistribution_traffic.hpp"

#include "fft/layout/box.hpp"

namespace toroid::fft {
namespace {

/// The planes of a layout that belong to a piece.
NodeLayout piece_of(const NodeLayout& layout, PieceRule rule, std::uint32_t piece) {
  if (rule.planes == 0 || layout.size() == 0) return layout;
  const Box& box = layout.boxes()[0];
  const PieceCut cut(rule, box.length(rule.axis));
  const bool is_own = piece < cut.pieces();
  const std::int64_t begin = is_own ? box.lo[rule.axis] + cut.begin(piece) : box.hi[rule.axis];
  return layout.planes(rule.axis, begin, begin + (is_own ? cut.length(piece) : 0));
}

}  // namespace

RedistributionTraffic::RedistributionTraffic(const Distribution& from, const Distribution& to,
                                             std::uint32_t element_bytes, const Group& group,
                                             PieceRule rule, std::optional<std::uint32_t> piece)
    : element_bytes_(element_bytes) {
  for (Rank member = 0; member < group.size(); ++member) {
    const NodeLayout before = from.layout(group.rank(member));
    before_.push_back(piece ? piece_of(before, rule, *piece) : before);
    after_.push_back(to.layout(group.rank(member)));
  }
}

std::uint64_t RedistributionTraffic::bytes(Rank from, Rank to) const {
  if (from == to) return 0;
  std::int64_t elements = 0;
  for (const Box& source : before_[from].boxes())
    for (const Box& target : after_[to].boxes()) elements += intersect(source, target).volume();
  return static_cast<std::uint64_t>(elements) * element_bytes_;
}

std::vector<Rank> RedistributionTraffic::targets(Rank from) const {
  std::vector<Rank> targets;
  for (Rank to = 0; to < after_.size(); ++to)
    if (bytes(from, to) > 0) targets.push_back(to);
  return targets;
}

std::vector<Rank> RedistributionTraffic::sources(Rank to) const {
  std::vector<Rank> sources;
  for (Rank from = 0; from < before_.size(); ++from)
    if (bytes(from, to) > 0) sources.push_back(from);
  return sources;
}

Rank RedistributionTraffic::draw(Rank from, Random& random) const {
  const std::vector<Rank> all = targets(from);
  return all[random.below(static_cast<std::uint32_t>(all.size()))];
}

}  // namespace toroid::fft
