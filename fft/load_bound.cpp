#include "fft/load_bound.hpp"

#include <cmath>

namespace toroid {
namespace {

unsigned ring_distance(unsigned a, unsigned b, unsigned k) {
  const unsigned apart = a < b ? b - a : a - b;
  return std::min(apart, k - apart);
}

}  // namespace

LinkLoad::LinkLoad(const Shape& shape) : shape_(shape) {
  for (unsigned d = 0; d < shape.dims(); ++d) cuts_[d].resize(shape.extent(d) - 1);
}

void LinkLoad::add(const Coord& from, const Coord& to, std::uint64_t wire_bytes) {
  for (unsigned d = 0; d < shape_.dims(); ++d) {
    if (shape_.wraps(d)) {
      byte_hops_[d] += wire_bytes * ring_distance(from[d], to[d], shape_.extent(d));
      continue;
    }
    const bool down = to[d] < from[d];
    for (unsigned c = std::min(from[d], to[d]); c < std::max(from[d], to[d]); ++c)
      cuts_[d][c][down ? 1 : 0] += wire_bytes;
  }
}

void LinkLoad::add(const LinkLoad& other) {
  for (unsigned d = 0; d < shape_.dims(); ++d) {
    byte_hops_[d] += other.byte_hops_[d];
    for (std::size_t c = 0; c < cuts_[d].size(); ++c)
      for (unsigned way = 0; way < 2; ++way) cuts_[d][c][way] += other.cuts_[d][c][way];
  }
}

double LinkLoad::hottest_bytes(Rank nodes) const {
  double hottest = 0;
  for (unsigned d = 0; d < shape_.dims(); ++d) {
    hottest = std::max(hottest, static_cast<double>(byte_hops_[d]) / (2.0 * nodes));
    const double across = std::max(1.0, static_cast<double>(nodes) / shape_.extent(d));
    for (const auto& cut : cuts_[d])
      hottest = std::max(hottest, static_cast<double>(std::max(cut[0], cut[1])) / across);
  }
  return hottest;
}

TransformBounds::TransformBounds(const Decomposition& decomposition, const Machine& machine)
    : decomposition_(&decomposition),
      machine_(machine),
      load_(decomposition.grid().shape()),
      processor_(decomposition.grid().shape().size()) {}

Tick TransformBounds::cycles(double bytes) const {
  return static_cast<Tick>(std::ceil(bytes * 8 / machine_.link_bits_per_cycle));
}

ExchangeBounds TransformBounds::add(const Exchange& exchange, int axis) {
  const ProcessGrid& grid = decomposition_->grid();
  const Shape& shape = grid.shape();
  std::vector<NodeLayout> from;
  std::vector<NodeLayout> to;
  std::vector<Coord> coords;
  for (Rank r = 0; r < shape.size(); ++r) {
    from.push_back(decomposition_->layout(exchange.from, grid.coord(r)));
    to.push_back(decomposition_->layout(exchange.to, grid.coord(r)));
    coords.push_back(shape.coord(r));
  }

  ExchangeBounds bounds;
  std::vector<std::uint64_t> out_bytes(shape.size());
  std::vector<Tick> busy(shape.size());
  const double links = usable_links(grid.slice(exchange.first_axis, exchange.last_axis));
  for (Rank first = 0; first < shape.size(); ++first) {
    const Group group = grid.group(exchange.first_axis, exchange.last_axis, first);
    if (group.self() != 0) continue;  // each group once
    LinkLoad load(shape);
    for (Rank s = 0; s < group.size(); ++s)
      for (Rank t = 0; t < group.size(); ++t) {
        if (s == t) continue;
        const Rank source = group.rank(s);
        const Rank target = group.rank(t);
        const auto elements = Transfer(from[source], to[target]).size();
        const auto cost =
            message_cost(machine_, static_cast<std::uint64_t>(elements) * sizeof(Complex));
        load.add(coords[source], coords[target], cost.wire_bytes);
        out_bytes[source] += cost.wire_bytes;
        busy[source] += cost.packets * machine_.inject_cycles;
        busy[target] += cost.packets * machine_.receive_cycles;
        bounds.packets += cost.packets;
      }
    bounds.hottest_link = std::max(bounds.hottest_link, cycles(load.hottest_bytes(group.size())));
    load_.add(load);
  }
  for (Rank r = 0; r < shape.size(); ++r) {
    if (links > 0)
      bounds.injection =
          std::max(bounds.injection, cycles(static_cast<double>(out_bytes[r]) / links));
    bounds.processor = std::max(bounds.processor, busy[r]);
    processor_[r] += busy[r];
    if (axis < 0) continue;
    const auto length =
        static_cast<std::uint64_t>(decomposition_->size()[static_cast<unsigned>(axis)]);
    processor_[r] +=
        static_cast<Tick>(to[r].size()) / length * machine_.line_transform_cycles(length);
  }
  longest_part_ = std::max(longest_part_, bounds.max());
  hottest_part_ = std::max(hottest_part_, bounds.hottest_link);
  const auto payload = static_cast<std::uint64_t>(decomposition_->volume()) * sizeof(Complex);
  paper_model_ += paper_model_exchange(
      machine_, grid.slice(exchange.first_axis, exchange.last_axis), payload / shape.size());
  if (axis >= 0) {
    const auto length =
        static_cast<std::uint64_t>(decomposition_->size()[static_cast<unsigned>(axis)]);
    const auto lines = static_cast<double>(decomposition_->volume()) / static_cast<double>(length);
    paper_model_ += static_cast<Tick>(lines / shape.size() *
                                      static_cast<double>(machine_.line_transform_cycles(length)));
  }
  return bounds;
}

Tick TransformBounds::hottest_link() const {
  return std::max(hottest_part_,
                  cycles(load_.hottest_bytes(decomposition_->grid().shape().size())));
}

Tick TransformBounds::total() const {
  Tick longest = std::max(longest_part_, hottest_link());
  for (const Tick busy : processor_) longest = std::max(longest, busy);
  return longest;
}

}  // namespace toroid
