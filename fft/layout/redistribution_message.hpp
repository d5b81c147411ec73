// The message from one node to another when an array changes its distribution: the intersection of
// what the sender holds before and what the receiver holds after, and how it is cut into packets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/strided_iterator.hpp"
#include "hal/packet.hpp"

namespace toroid::fft {

/// The elements of a message in their order, and their places in both local arrays. Sender and
/// receiver make the same Transfer from the same layouts, so packets need not carry places.
///
/// **Order:** box by box, and within a box in the order of the receiver's local memory, so that
/// elements that arrive together are stored together.
/// **Packets:** a message is cut into stretches, and all packets of a stretch are full except its
/// last one. A stretch is a run of elements that are contiguous in the receiver's memory, so the
/// place of a packet's first element determines the places of all its elements. But if the message
/// would then have many more packets, the whole message is a single stretch.
class Transfer {
 public:
  Transfer() = default;
  /// `element_bytes`: 4, 8 or 16. `packet_bytes`: the payload of a full packet, at least one
  /// element.
  Transfer(const NodeLayout& from, const NodeLayout& to, std::uint32_t element_bytes,
           std::uint32_t packet_bytes = kPayloadBytes) {
    assign(from, to, element_bytes, packet_bytes);
  }
  /// Changes this to the transfer between other layouts, reusing its memory.
  void assign(const NodeLayout& from, const NodeLayout& to, std::uint32_t element_bytes,
              std::uint32_t packet_bytes = kPayloadBytes);

  std::uint32_t size() const { return size_; }  ///< number of elements
  std::uint32_t packets() const { return packets_; }
  std::uint32_t element_bytes() const { return element_bytes_; }
  /// Elements in a full packet.
  std::uint32_t per_packet() const { return per_packet_; }
  /// Whether each packet is contiguous in the receiver's memory.
  bool in_runs() const { return in_runs_; }

  /// The elements [first, first + count) of the message.
  struct Elements {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// The elements of a packet; none if the message has no such packet.
  Elements elements(std::uint32_t packet) const;
  /// The elements of several consecutive packets. REQUIRES: the message has these packets.
  Elements elements(std::uint32_t first, std::uint32_t packets) const;
  /// Number of equally long packets in the same stretch, from this packet on. REQUIRES: packet <
  /// packets().
  std::uint32_t alike(std::uint32_t packet) const;

  /// The place of an element in the sender's local array, and its place in the receiver's.
  std::int64_t source_offset(std::uint32_t number) const;
  std::int64_t target_offset(std::uint32_t number) const;

  /// From the beginning of any row in either array, at least this many elements are contiguous in
  /// both the sender's and the receiver's array.
  std::uint32_t stretch() const;
  /// The smallest range of the sender's array that contains the given elements.
  struct Span {
    std::int64_t begin = 0;
    std::uint64_t length = 0;
  };
  Span source_span(Elements elements) const;
  /// Calls visit(place in the sender's array, place in the receiver's, count) in order for each run
  /// of the given elements that is contiguous in both arrays.
  template <typename Visit>
  void for_each_common(Elements elements, Visit&& visit) const;

  /// Calls visit(place in the receiver's array, distance between elements, count) for the given
  /// elements, row by row of the receiver's array.
  template <typename Visit>
  void for_each_target_row(Elements elements, Visit&& visit) const {
    for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
      part.target.for_each_run(number, count, [&](std::int64_t place, std::uint32_t length) {
        visit(place, part.target.stride(), length);
      });
    });
  }

  // In the functions below, a pointer to an array is the address of place 0 of its layout.
  /// Copies from the sender's array into a packet's payload.
  void gather(Elements elements, const std::byte* source, std::byte* packed) const;
  /// Does the same as gather(), but is faster for many elements: it copies square blocks if the
  /// axes have different orders in the two arrays.
  void gather_blocks(Elements elements, const std::byte* source, std::byte* packed) const;
  /// Copies from a payload into the receiver's array.
  void scatter(Elements elements, const std::byte* packed, std::byte* target) const;
  /// Copies from array to array, for a sender and a receiver that share memory.
  void copy(Elements elements, const std::byte* source, std::byte* target) const;

  /// Calls visit(elements per stretch, number of such stretches) for all stretches.
  template <typename Visit>
  void for_each_stretch(Visit&& visit) const {
    if (!in_runs_) return visit(size_, 1u);
    for (const Part& part : parts_) visit(part.target.row(), part.size / part.target.row());
  }

 private:
  /// The elements of one box.
  struct Part {
    StridedIterator source;
    StridedIterator target;
    std::uint32_t first;             ///< number of its first element in the message
    std::uint32_t size;              ///< number of elements
    std::uint32_t first_packet = 0;  ///< number of its first packet, if in_runs()
    Divisor run_packets;             ///< number of packets per run
  };
  /// Number of elements, from the beginning of a row in either array, that are contiguous in both
  /// arrays.
  static std::uint32_t stretch_of(const Part& part);
  void add(const Box& both, const NodeLayout& from, const NodeLayout& to);
  /// Returns the part that holds an element.
  const Part& part_of(std::uint32_t number) const;
  /// Decides how the message is cut into packets.
  void cut();
  /// Position of a packet in its run.
  struct InRun {
    std::uint32_t first;  ///< number of the packet's first element in the message
    std::uint32_t left;   ///< number of elements of the run from `first` on
  };
  InRun in_run(std::uint32_t packet) const;
  /// Calls visit(part, number within the part, count) for the elements, part by part.
  template <typename Visit>
  void for_each_part(Elements elements, Visit&& visit) const;

  template <std::size_t Bytes>
  void gather_as(Elements elements, const std::byte* source, std::byte* packed) const;
  template <std::size_t Bytes>
  void scatter_as(Elements elements, const std::byte* packed, std::byte* target) const;

  std::vector<Part> parts_;
  std::uint32_t element_bytes_ = 16;
  std::uint32_t per_packet_ = kPayloadBytes / 16;
  std::uint32_t size_ = 0;
  std::uint32_t packets_ = 0;
  bool in_runs_ = false;
};

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

template <typename Visit>
void Transfer::for_each_common(Elements elements, Visit&& visit) const {
  for_each_part(elements, [&](const Part& part, std::uint32_t number, std::uint32_t count) {
    const std::uint32_t stretch = stretch_of(part);
    while (count > 0) {
      const std::uint32_t length = std::min(count, stretch - number % stretch);
      visit(part.source.offset(number), part.target.offset(number), length);
      number += length;
      count -= length;
    }
  });
}

}  // namespace toroid::fft
