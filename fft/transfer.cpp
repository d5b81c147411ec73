#include "fft/transfer.hpp"

#include <cstring>

namespace toroid {
namespace {

std::uint32_t packets_for(std::uint32_t elements) {
  return (elements + Transfer::kPerPacket - 1) / Transfer::kPerPacket;
}

/// Runs from here on are worth a call: in shorter ones its branches on the length would cost more
/// than the copy.
constexpr std::uint32_t kLongRun = 12;

/// Elements `stride` apart become contiguous bytes, and back.
void pack(const Complex* from, std::int64_t stride, std::uint32_t count, std::byte* to) {
  if (stride == 1 && count >= kLongRun) {
    std::memcpy(to, from, count * sizeof(Complex));
    return;
  }
  for (; count > 0; --count, from += stride, to += sizeof(Complex))
    std::memcpy(to, from, sizeof(Complex));
}

void unpack(const std::byte* from, std::uint32_t count, Complex* to, std::int64_t stride) {
  if (stride == 1 && count >= kLongRun) {
    std::memcpy(static_cast<void*>(to), from, count * sizeof(Complex));
    return;
  }
  for (; count > 0; --count, from += sizeof(Complex), to += stride)
    std::memcpy(static_cast<void*>(to), from, sizeof(Complex));
}

/// Rows of a box lie far apart, where no hardware would look for the next one. Packets mostly
/// follow one another: what is fetched is the row that one of the next will want. Any address will
/// do.
constexpr std::int64_t kRowsAhead = 3;

void prefetch(const Complex* row, std::uint32_t length) {
  for (std::uint32_t i = 0; i < length; i += 64 / sizeof(Complex)) __builtin_prefetch(row + i);
}

void copy_run(const Complex* from, std::int64_t from_stride, std::uint32_t count, Complex* to,
              std::int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    std::copy_n(from, count, to);
    return;
  }
  for (; count > 0; --count, from += from_stride, to += to_stride) *to = *from;
}

}  // namespace

void Transfer::assign(const NodeLayout& from, const NodeLayout& to) {
  parts_.clear();
  size_ = 0;
  x_slowest_ = to.axis_order()[0] == 0;
  for (const Box& target : to.boxes())
    for (const Box& source : from.boxes()) {
      const Box both = intersect(source, target);
      if (both.volume() == 0) continue;
      const auto volume = static_cast<std::uint32_t>(both.volume());
      parts_.push_back({Walk(both, to.axis_order(), from),
                        Walk(both, to.axis_order(), to),
                        size_,
                        volume,
                        0,
                        {}});
      size_ += volume;
    }
  cut();
}

/// One packet more in eight is worth it: a packet in a run needs one copy and no search where it
/// arrives.
void Transfer::cut() {
  const std::uint32_t crossing = packets_for(size_);
  std::uint64_t in_runs = 0;
  in_runs_ = true;
  for (Part& part : parts_) {
    const std::uint32_t run = part.target.row();
    in_runs_ &= run == 1 || part.target.stride() == 1;
    part.first_packet = static_cast<std::uint32_t>(in_runs);
    part.run_packets = Divisor(packets_for(run));
    in_runs += part.size / run * part.run_packets.value();
  }
  in_runs_ &= in_runs * 8 <= std::uint64_t{crossing} * 9;
  packets_ = in_runs_ ? static_cast<std::uint32_t>(in_runs) : crossing;
}

Transfer::Elements Transfer::elements(std::uint32_t packet) const {
  if (packet >= packets_) return {};
  if (!in_runs_) {
    const std::uint32_t first = packet * kPerPacket;
    return {first, std::min(kPerPacket, size_ - first)};
  }
  const InRun at = in_run(packet);
  return {at.first, std::min(kPerPacket, at.left)};
}

Transfer::InRun Transfer::in_run(std::uint32_t packet) const {
  std::size_t p = parts_.size() - 1;
  while (parts_[p].first_packet > packet) --p;
  const Part& part = parts_[p];
  const std::uint32_t in_part = packet - part.first_packet;
  const std::uint32_t run = part.run_packets.quotient(in_part);
  const std::uint32_t skipped = (in_part - run * part.run_packets.value()) * kPerPacket;
  const std::uint32_t length = part.target.row();
  return {part.first + run * length + skipped, length - skipped};
}

std::uint32_t Transfer::alike(std::uint32_t packet) const {
  const std::uint32_t left = in_runs_ ? in_run(packet).left : size_ - packet * kPerPacket;
  return std::max(1u, left / kPerPacket);
}

const Transfer::Part& Transfer::part_of(std::uint32_t number) const {
  std::size_t p = parts_.size() - 1;
  while (parts_[p].first > number) --p;
  return parts_[p];
}

std::int64_t Transfer::source_offset(std::uint32_t number) const {
  const Part& part = part_of(number);
  return part.source.offset(number - part.first);
}

std::int64_t Transfer::target_offset(std::uint32_t number) const {
  const Part& part = part_of(number);
  return part.target.offset(number - part.first);
}

template <typename Visit>
void Transfer::for_each_part(Elements elements, Visit&& visit) const {
  while (elements.count > 0) {
    const Part& part = part_of(elements.first);
    const std::uint32_t number = elements.first - part.first;
    const std::uint32_t count = std::min(elements.count, part.size - number);
    visit(part, number, count);
    elements.first += count;
    elements.count -= count;
  }
}

void Transfer::gather(Elements elements, const Complex* source, std::byte* packed) const {
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    const std::int64_t stride = part.source.stride();
    const std::int64_t ahead = kRowsAhead * part.source.row_stride();
    part.source.for_each_run(number, count, [&](std::int64_t offset, std::uint32_t length) {
      prefetch(source + offset + ahead, length);
      pack(source + offset, stride, length, packed);
      packed += length * sizeof(Complex);
    });
  });
}

void Transfer::scatter(Elements elements, const std::byte* packed, Complex* target) const {
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    const std::int64_t stride = part.target.stride();
    const std::int64_t ahead = kRowsAhead * part.target.row_stride();
    part.target.for_each_run(number, count, [&](std::int64_t offset, std::uint32_t length) {
      prefetch(target + offset + ahead, length);
      unpack(packed, length, target + offset, stride);
      packed += length * sizeof(Complex);
    });
  });
}

void Transfer::copy(Elements elements, const Complex* source, Complex* target) const {
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    const std::int64_t to_stride = part.target.stride();
    part.target.for_each_run(number, count, [&](std::int64_t to, std::uint32_t row) {
      part.source.for_each_run(number, row, [&](std::int64_t from, std::uint32_t length) {
        copy_run(source + from, part.source.stride(), length, target + to, to_stride);
        to += length * to_stride;
      });
      number += row;
    });
  });
}

bool Transfer::follows_planes(std::uint32_t planes) const {
  if (parts_.empty()) return true;
  const std::uint32_t plane = size_ / planes;
  return x_slowest_ && in_runs_ && parts_.size() == 1 && plane * planes == size_ &&
         plane % parts_[0].target.row() == 0;
}

}  // namespace toroid
