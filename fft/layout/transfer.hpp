// What one node sends to another when the array changes its distribution: the intersection of what
// the one holds with what the other will hold, in an order that both ends walk alike, and how it is
// cut into packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/divisor.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/strided_iterator.hpp"
#include "hal/packet.hpp"

namespace toroid {

/// Elements are numbered box by box, within a box in the order of the receiver's local memory, so
/// that what arrives together is stored together.
///
/// Packets are full but the last one of a stretch. The stretches are the runs that are contiguous
/// in the receiver's memory, if that costs few packets more than the whole message in one stretch:
/// then the place of a packet's first element says where all of it goes.
class Transfer {
 public:
  Transfer() = default;
  /// `element_bytes`: 4, 8 or 16. `packet_bytes`: of a full packet, at least an element's.
  Transfer(const NodeLayout& from, const NodeLayout& to, std::uint32_t element_bytes,
           std::uint32_t packet_bytes = kPayloadBytes) {
    assign(from, to, element_bytes, packet_bytes);
  }
  /// The same without allocating anew.
  void assign(const NodeLayout& from, const NodeLayout& to, std::uint32_t element_bytes,
              std::uint32_t packet_bytes = kPayloadBytes);

  std::uint32_t size() const { return size_; }        ///< elements
  std::uint32_t packets() const { return packets_; }  ///< of the message
  std::uint32_t element_bytes() const { return element_bytes_; }
  /// Elements of a full packet.
  std::uint32_t per_packet() const { return per_packet_; }
  /// Whether each packet is contiguous in the receiver's memory.
  bool in_runs() const { return in_runs_; }

  /// Elements [first, first + count) travel in one packet; none: the message has ended before it.
  struct Elements {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  Elements elements(std::uint32_t packet) const;
  /// How many packets from this one on follow each other in one stretch and are equally long.
  /// REQUIRES: the message has not ended before it.
  std::uint32_t alike(std::uint32_t packet) const;

  /// Places of an element in the two local arrays.
  std::int64_t source_offset(std::uint32_t number) const;
  std::int64_t target_offset(std::uint32_t number) const;

  /// Arrays begin where the layouts' place 0 is.
  void gather(Elements elements, const std::byte* source, std::byte* packed) const;
  void scatter(Elements elements, const std::byte* packed, std::byte* target) const;
  /// From array to array, where both ends are the same node.
  void copy(Elements elements, const std::byte* source, std::byte* target) const;

  /// visit(elements of a stretch, stretches like it).
  template <typename Visit>
  void for_each_stretch(Visit&& visit) const {
    if (!in_runs_) return visit(size_, 1u);
    for (const Part& part : parts_) visit(part.target.row(), part.size / part.target.row());
  }

 private:
  struct Part {
    StridedIterator source;
    StridedIterator target;
    std::uint32_t first;             ///< number of its first element
    std::uint32_t size;              ///< elements
    std::uint32_t first_packet = 0;  ///< of those in runs
    Divisor run_packets;             ///< packets of a run
  };
  void add(const Box& both, const NodeLayout& from, const NodeLayout& to);
  const Part& part_of(std::uint32_t number) const;
  void cut();
  /// Where a packet's run goes on.
  struct InRun {
    std::uint32_t first;  ///< its first element
    std::uint32_t left;   ///< elements of the run from there on
  };
  InRun in_run(std::uint32_t packet) const;
  /// visit(part, number within it, count) for the elements, part by part.
  template <typename Visit>
  void for_each_part(Elements elements, Visit&& visit) const;

  template <std::size_t Bytes>
  void gather_as(Elements elements, const std::byte* source, std::byte* packed) const;
  template <std::size_t Bytes>
  void scatter_as(Elements elements, const std::byte* packed, std::byte* target) const;
  template <std::size_t Bytes>
  void copy_as(Elements elements, const std::byte* source, std::byte* target) const;

  std::vector<Part> parts_;
  std::uint32_t element_bytes_ = 16;
  std::uint32_t per_packet_ = kPayloadBytes / 16;
  std::uint32_t size_ = 0;
  std::uint32_t packets_ = 0;
  bool in_runs_ = false;
};

}  // namespace toroid
