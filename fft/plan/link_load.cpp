#include "fft/plan/link_load.hpp"

#include <algorithm>
#include <cstddef>

namespace toroid::fft {
namespace {

unsigned ring_distance(unsigned a, unsigned b, unsigned k) {
  const unsigned apart = a < b ? b - a : a - b;
  return std::min(apart, k - apart);
}

}  // namespace

LinkLoad::LinkLoad(const Shape& shape) : shape_(shape) {
  for (unsigned d = 0; d < shape.torus_dims(); ++d) cuts_[d].resize(shape.extent(d) - 1);
}

void LinkLoad::add(const Coord& from, const Coord& to, std::uint64_t wire_bytes) {
  for (unsigned d = 0; d < shape_.torus_dims(); ++d) {
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
  for (unsigned d = 0; d < shape_.torus_dims(); ++d) {
    byte_hops_[d] += other.byte_hops_[d];
    for (std::size_t c = 0; c < cuts_[d].size(); ++c)
      for (unsigned way = 0; way < 2; ++way) cuts_[d][c][way] += other.cuts_[d][c][way];
  }
}

double LinkLoad::hottest_bytes(Rank nodes) const {
  double hottest = 0;
  for (unsigned d = 0; d < shape_.torus_dims(); ++d) {
    hottest = std::max(hottest, static_cast<double>(byte_hops_[d]) / (2.0 * nodes));
    const double across = std::max(1.0, static_cast<double>(nodes) / shape_.extent(d));
    for (const auto& cut : cuts_[d])
      hottest = std::max(hottest, static_cast<double>(std::max(cut[0], cut[1])) / across);
  }
  return hottest;
}

}  // namespace toroid::fft
