#include "fft/layout/redistribution_message.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>

#include "fft/layout/strided_copy.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

/// Runs of at least this many bytes are copied by memcpy. In shorter runs, memcpy's branches on the
/// length cost more than the copy.
constexpr std::uint32_t kLongRun = 192;

template <std::size_t Bytes>
bool is_long_run(std::int64_t stride, std::uint32_t count) {
  return stride == 1 && count * Bytes >= kLongRun;
}

/// Packs elements at distance `stride` into contiguous memory.
template <std::size_t Bytes>
void pack(const std::byte* from, std::int64_t stride, std::uint32_t count, std::byte* to) {
  if (is_long_run<Bytes>(stride, count)) {
    std::memcpy(to, from, count * Bytes);
    return;
  }
  const std::int64_t step = stride * static_cast<std::int64_t>(Bytes);
  for (; count > 0; --count, from += step, to += Bytes) std::memcpy(to, from, Bytes);
}

template <std::size_t Bytes>
void unpack(const std::byte* from, std::uint32_t count, std::byte* to, std::int64_t stride) {
  if (is_long_run<Bytes>(stride, count)) {
    std::memcpy(to, from, count * Bytes);
    return;
  }
  const std::int64_t step = stride * static_cast<std::int64_t>(Bytes);
  for (; count > 0; --count, from += Bytes, to += step) std::memcpy(to, from, Bytes);
}

/// Rows of a box lie too far apart for the hardware to prefetch the next row. Packets mostly come
/// in order, so the row that lies kRowsAhead rows further is prefetched: one of the next packets
/// will need it. Prefetching is safe at any address.
constexpr std::int64_t kRowsAhead = 3;

void prefetch(const std::byte* row, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(row + at);
}

template <std::size_t Bytes>
constexpr std::int64_t bytes_of(std::int64_t elements) {
  return elements * static_cast<std::int64_t>(Bytes);
}

/// Nested loops over a box of `size` elements, for a copy from the places of `source` to those of
/// `target`. The loops combine the rows and planes of both sides. The number of elements in a row
/// or plane is the product of the box's lengths along its last axes. So of any two such numbers,
/// one divides the other.
NestedLoops loops_of(const StridedIterator& source, const StridedIterator& target,
                     std::uint32_t size) {
  std::array steps = {1u, source.row(), source.plane(), target.row(), target.plane(), size};
  std::ranges::sort(steps);
  const auto distance = [](const StridedIterator& side, std::uint32_t step) {
    return side.offset(step) - side.offset(0);
  };
  NestedLoops loops;
  for (std::size_t i = steps.size() - 1; i > 0; --i)
    if (steps[i] > steps[i - 1])
      loops.push({steps[i] / steps[i - 1], distance(source, steps[i - 1]),
                  distance(target, steps[i - 1])});
  return loops;
}

}  // namespace

void Transfer::assign(const NodeLayout& from, const NodeLayout& to, std::uint32_t element_bytes,
                      std::uint32_t packet_bytes) {
  parts_.clear();
  size_ = 0;
  element_bytes_ = element_bytes;
  per_packet_ = packet_bytes / element_bytes;
  for (const Box& target : to.boxes())
    for (const Box& source : from.boxes()) add(intersect(source, target), from, to);
  cut();
}

/// Adds the elements of a box. If the box has more levels than a StridedIterator supports, it is
/// cut along its slowest axis.
void Transfer::add(const Box& both, const NodeLayout& from, const NodeLayout& to) {
  if (both.volume() == 0) return;
  const AxisOrder& order = to.order();
  if (StridedIterator::levels(both, order, from) > StridedIterator::kMostLevels ||
      StridedIterator::levels(both, order, to) > StridedIterator::kMostLevels) {
    const unsigned axis =
        *std::ranges::find_if(order, [&](unsigned a) { return both.length(a) > 1; });
    Box slice = both;
    for (slice.lo[axis] = both.lo[axis]; slice.lo[axis] < both.hi[axis]; ++slice.lo[axis]) {
      slice.hi[axis] = slice.lo[axis] + 1;
      add(slice, from, to);
    }
    return;
  }
  TOROID_CHECK_LE(size_ + both.volume(), std::int64_t{UINT32_MAX});
  const auto volume = static_cast<std::uint32_t>(both.volume());
  parts_.push_back(
      {StridedIterator(both, order, from), StridedIterator(both, order, to), size_, volume, 0, {}});
  size_ += volume;
}

/// Gives each run packets of its own if the message then has at most an eighth more packets. At the
/// receiver, a packet that stays within a run needs one copy and no search.
void Transfer::cut() {
  const auto packets_of = [this](std::uint32_t elements) {
    return static_cast<std::uint32_t>((std::uint64_t{elements} + per_packet() - 1) / per_packet());
  };
  const std::uint32_t crossing = packets_of(size_);
  std::uint64_t in_runs = 0;
  in_runs_ = true;
  for (Part& part : parts_) {
    const std::uint32_t run = part.target.row();
    in_runs_ &= run == 1 || part.target.stride() == 1;
    part.first_packet = static_cast<std::uint32_t>(in_runs);
    part.run_packets = Divisor(packets_of(run));
    in_runs += part.size / run * part.run_packets.value();
  }
  in_runs_ &= in_runs * 8 <= std::uint64_t{crossing} * 9;
  packets_ = in_runs_ ? static_cast<std::uint32_t>(in_runs) : crossing;
}

Transfer::Elements Transfer::elements(std::uint32_t packet) const {
  if (packet >= packets_) return {};
  if (!in_runs_) {
    const std::uint32_t first = packet * per_packet();
    return {first, std::min(per_packet(), size_ - first)};
  }
  const InRun at = in_run(packet);
  return {at.first, std::min(per_packet(), at.left)};
}

Transfer::Elements Transfer::elements(std::uint32_t first, std::uint32_t packets) const {
  const Elements last = elements(first + packets - 1);
  TOROID_CHECK_LT(0u, last.count);
  const std::uint32_t begin = elements(first).first;
  return {begin, last.first + last.count - begin};
}

Transfer::InRun Transfer::in_run(std::uint32_t packet) const {
  const Part& part = *std::prev(
      std::ranges::upper_bound(parts_, packet, std::ranges::less{}, &Part::first_packet));
  const std::uint32_t in_part = packet - part.first_packet;
  const std::uint32_t run = part.run_packets.quotient(in_part);
  const std::uint32_t skipped = (in_part - run * part.run_packets.value()) * per_packet();
  const std::uint32_t length = part.target.row();
  return {part.first + run * length + skipped, length - skipped};
}

std::uint32_t Transfer::alike(std::uint32_t packet) const {
  const std::uint32_t left = in_runs_ ? in_run(packet).left : size_ - packet * per_packet();
  return std::max(1u, left / per_packet());
}

const Transfer::Part& Transfer::part_of(std::uint32_t number) const {
  return *std::prev(std::ranges::upper_bound(parts_, number, std::ranges::less{}, &Part::first));
}

std::int64_t Transfer::source_offset(std::uint32_t number) const {
  const Part& part = part_of(number);
  return part.source.offset(number - part.first);
}

std::int64_t Transfer::target_offset(std::uint32_t number) const {
  const Part& part = part_of(number);
  return part.target.offset(number - part.first);
}

std::uint32_t Transfer::stretch_of(const Part& part) {
  const bool in_rows = part.source.stride() == 1 && part.target.stride() == 1;
  return in_rows ? std::min(part.source.row(), part.target.row()) : 1;
}

std::uint32_t Transfer::stretch() const {
  std::uint32_t least = size_;
  for (const Part& part : parts_) least = std::min(least, stretch_of(part));
  return least;
}

Transfer::Span Transfer::source_span(Elements elements) const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for_each_common(elements, [&](std::int64_t source, std::int64_t, std::uint32_t count) {
    begin = std::min(begin, source);
    end = std::max(end, source + count);
  });
  return {begin, static_cast<std::uint64_t>(end - begin)};
}

template <std::size_t Bytes>
void Transfer::gather_as(Elements elements, const std::byte* source, std::byte* packed) const {
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    const std::int64_t stride = part.source.stride();
    const std::int64_t ahead = bytes_of<Bytes>(kRowsAhead * part.source.row_stride());
    part.source.for_each_run(number, count, [&](std::int64_t offset, std::uint32_t length) {
      const std::byte* run = source + bytes_of<Bytes>(offset);
      prefetch(run + ahead, length * Bytes);
      pack<Bytes>(run, stride, length, packed);
      packed += length * Bytes;
    });
  });
}

template <std::size_t Bytes>
void Transfer::scatter_as(Elements elements, const std::byte* packed, std::byte* target) const {
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    const std::int64_t stride = part.target.stride();
    const std::int64_t ahead = bytes_of<Bytes>(kRowsAhead * part.target.row_stride());
    part.target.for_each_run(number, count, [&](std::int64_t offset, std::uint32_t length) {
      std::byte* run = target + bytes_of<Bytes>(offset);
      prefetch(run + ahead, length * Bytes);
      unpack<Bytes>(packed, length, run, stride);
      packed += length * Bytes;
    });
  });
}

void Transfer::gather(Elements elements, const std::byte* source, std::byte* packed) const {
  if (element_bytes_ == 16) return gather_as<16>(elements, source, packed);
  if (element_bytes_ == 8) return gather_as<8>(elements, source, packed);
  gather_as<4>(elements, source, packed);
}

void Transfer::scatter(Elements elements, const std::byte* packed, std::byte* target) const {
  if (element_bytes_ == 16) return scatter_as<16>(elements, packed, target);
  if (element_bytes_ == 8) return scatter_as<8>(elements, packed, target);
  scatter_as<4>(elements, packed, target);
}

void Transfer::gather_blocks(Elements elements, const std::byte* source, std::byte* packed) const {
  const auto bytes = std::int64_t{element_bytes_};
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    const auto packing = StridedIterator::contiguous(part.size);
    copy_strided(loops_of(part.source, packing, part.size), {number, count}, element_bytes_,
                 source + part.source.offset(0) * bytes, packed - number * bytes);
    packed += count * bytes;
  });
}

void Transfer::copy(Elements elements, const std::byte* source, std::byte* target) const {
  const auto bytes = std::int64_t{element_bytes_};
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    copy_strided(loops_of(part.source, part.target, part.size), {number, count}, element_bytes_,
                 source + part.source.offset(0) * bytes, target + part.target.offset(0) * bytes);
  });
}

}  // namespace toroid::fft
