#include "packet/traffic/all_to_all_sample.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

Offset offset_of(const Shape& shape, const Coord& coord) {
  Offset offset{};
  for (unsigned d = 0; d < shape.dims(); ++d) offset[d] = coord[d];
  return offset;
}

/// `count` distances in a dimension, in random order. Every distance occurs equally often, or as
/// nearly so as `count` allows.
std::vector<std::uint8_t> shuffled_distances(unsigned extent, Rank count, Random& random) {
  std::vector<std::uint8_t> distances(count);
  for (Rank i = 0; i < count; ++i) distances[i] = static_cast<std::uint8_t>((i + 1) % extent);
  for (Rank i = count; i > 1; --i) std::swap(distances[i - 1], distances[random.below(i)]);
  return distances;
}

}  // namespace

SampleTraffic::SampleTraffic(std::string name, const Shape& shape,
                             const std::vector<Coord>& offsets, std::uint64_t bytes)
    : name_(std::move(name)), shape_(shape), leads_to_(shape.size(), false), bytes_(bytes) {
  for (const Coord& offset : offsets) {
    offsets_.push_back(offset_of(shape, offset));
    leads_to_[shape.rank(offset)] = true;
  }
}

std::vector<Coord> SampleTraffic::drawn(const Shape& shape, Rank count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Coord> offsets(count);
  for (unsigned d = 0; d < shape.dims(); ++d) {
    const auto distances = shuffled_distances(shape.extent(d), count, random);
    for (Rank i = 0; i < count; ++i) offsets[i][d] = distances[i];
  }
  // An offset that is zero or a duplicate swaps one coordinate with a random offset, until there
  // are no such offsets.
  for (std::set<Rank> seen; seen.size() < count;) {
    seen = {0};
    for (Coord& offset : offsets)
      if (!seen.insert(shape.rank(offset)).second) {
        const unsigned d = random.below(shape.dims());
        std::swap(offset[d], offsets[random.below(count)][d]);
      }
    seen.erase(0);
  }
  return offsets;
}

std::uint64_t SampleTraffic::bytes(Rank from, Rank to) const {
  const Coord a = shape_.coord(from), b = shape_.coord(to);
  if (shape_.is_twisted()) return leads_to_[shape_.offset(a, b)] ? bytes_ : 0;
  Coord offset;
  for (unsigned d = 0; d < shape_.dims(); ++d) {
    const int apart = b[d] - a[d];
    if (apart < 0 && !shape_.wraps(d)) return 0;
    offset[d] = static_cast<std::uint8_t>(apart < 0 ? apart + int(shape_.extent(d)) : apart);
  }
  return leads_to_[shape_.rank(offset)] ? bytes_ : 0;
}

std::vector<Rank> SampleTraffic::targets(Rank from) const {
  return bytes_ > 0 ? all_moved(shape_, from, offsets_, 1) : std::vector<Rank>();
}

std::vector<Rank> SampleTraffic::sources(Rank to) const {
  return bytes_ > 0 ? all_moved(shape_, to, offsets_, -1) : std::vector<Rank>();
}

Rank SampleTraffic::draw(Rank from, Random& random) const {
  const std::vector<Rank> to = targets(from);
  TOROID_CHECK(!to.empty());
  return to[random.below(static_cast<std::uint32_t>(to.size()))];
}

}  // namespace toroid
