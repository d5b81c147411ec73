#include "hal/queue_head_lookup.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace toroid {
namespace {

template <typename Visit>
void for_each_direction(DirectionSet set, Visit&& visit) {
  for (; !set.empty(); set.remove(set.first())) visit(set.first());
}

}  // namespace

void NumberSet::reserve() {
  words_.resize(limit_ / 64 + 1);
  summary_.resize(limit_ / 4096 + 1);
}

std::optional<unsigned> NumberSet::at_or_after(unsigned from) const {
  if (size_ == 0 || from >= limit_) return std::nullopt;
  const auto lowest = [](std::uint64_t word) {
    return static_cast<unsigned>(std::countr_zero(word));
  };
  const std::uint64_t here = words_[from / 64] & ~std::uint64_t{0} << from % 64;
  if (here != 0) return from / 64 * 64 + lowest(here);
  const unsigned next = from / 64 + 1;  // the first word that may hold the number
  std::uint64_t mask = ~std::uint64_t{0} << next % 64;
  for (unsigned s = next / 64; s < summary_.size(); ++s, mask = ~std::uint64_t{0}) {
    if ((summary_[s] & mask) == 0) continue;
    const unsigned word = s * 64 + lowest(summary_[s] & mask);
    return word * 64 + lowest(words_[word]);
  }
  return std::nullopt;
}

void QueueHeadLookup::replace_other(unsigned queue, Head before, Head after) {
  for_each_direction(before.hints, [&](Direction d) { heads_like(before.chunks, d).erase(queue); });
  for_each_direction(after.hints, [&](Direction d) { heads_like(after.chunks, d).insert(queue); });
}

NumberSet& QueueHeadLookup::heads_like(unsigned chunks, Direction direction) {
  auto& length = lengths_[chunks - 1];
  if (length == nullptr) {
    length = std::make_unique<ByDirection>();
    length->fill(NumberSet(queues_));
  }
  return (*length)[direction.index];
}

std::optional<unsigned> QueueHeadLookup::first_open(unsigned from,
                                                    const OpenDirections& open) const {
  const auto found = first_open_up(from, open);
  return found || from == 0 ? found : first_open_up(0, open);
}

std::optional<unsigned> QueueHeadLookup::first_open_up(unsigned from,
                                                       const OpenDirections& open) const {
  unsigned first = queues_;
  for (std::size_t length = 0; length < kMaxChunks; ++length) {
    if (lengths_[length] == nullptr) continue;
    for_each_direction(open[length], [&](Direction d) {
      first = std::min(first, (*lengths_[length])[d.index].at_or_after(from).value_or(queues_));
    });
  }
  return first < queues_ ? std::optional(first) : std::nullopt;
}

void QueueHeadLookup::add_to(DirectionCounts& counts) const {
  for (const auto& length : lengths_)
    for (std::size_t d = 0; length != nullptr && d < kMaxLinks; ++d)
      counts[d] += (*length)[d].size();
}

}  // namespace toroid
