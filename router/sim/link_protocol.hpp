// The protocol of the model's links: packets have numbers and CRCs, and what errs is sent again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/large_pages.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/sim/routers.hpp"

namespace toroid::sim {

/// The links of a block's routers, where links are checked.
///
/// **Repeats:** the receiver refuses a packet whose CRC or number does not fit, and all that follow
/// (go-back-N); the sender repeats it when no acknowledgement has come in time. In the model the
/// link is held from the first transmission to the one that is accepted: what the hardware sends in
/// vain meanwhile takes the same time. The packet keeps its place in its queue, and its room
/// downstream, until then; so no token is lost or doubled, and no rule of routing changes.
/// **CRCs:** either end has one of all packets that it has sent or accepted, in their order. Here
/// it is of packets' numbers and what is left of their ways.
///
/// A block's network owns it; one thread at a time calls it. Nodes are counted from the block's
/// first.
class LinkProtocol {
 public:
  LinkProtocol(const Shape& shape, const Machine& machine, const RoutingOptions& options,
               Range block);

  bool is_on() const { return !lines_.empty(); }
  /// A packet begins to leave by a link. Returns the cycles for which it is held before the
  /// transmission that is accepted. REQUIRES: is_on(), as all below.
  [[gnu::always_inline]] Tick begin(Rank node, unsigned link, unsigned chunks) {
    std::uint16_t& sound = line(node, link).sound[in_line(link)];
    if (sound == 0) [[unlikely]]
      return begin_unsound(node, link, chunks);
    --sound;
    return 0;
  }
  /// That transmission begins; `word` tells the packet from others.
  [[gnu::always_inline]] void sent(Rank node, unsigned link, std::uint64_t word) {
    std::uint32_t& crc = line(node, link).sent[in_line(link)];
    crc = next_check(crc, word);
  }
  /// It has come from the direction opposite to the one in which it travels.
  [[gnu::always_inline]] void received(Rank node, unsigned travelling, std::uint64_t word) {
    std::uint32_t& crc = line(node, travelling).received[in_line(travelling)];
    crc = next_check(crc, word);
  }
  [[gnu::always_inline]] void prefetch(Rank node, unsigned link) const {
    __builtin_prefetch(&lines_[place(node, link)]);
  }

  std::uint64_t errors(Rank node, Direction link) const {
    return links_[std::size_t{node} * degree_ + link.index].errors;
  }
  /// Adds what the block's ends of links know. `health`: of the whole machine.
  void add_to(std::vector<LinkHealth>& health) const;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(lines_, links_);
  }

 private:
  static constexpr unsigned kRow = 6;  ///< links of a line

  /// Some links of a router and what every packet touches of them: one cache line.
  struct alignas(64) Line {
    std::array<std::uint32_t, kRow> sent{};
    std::array<std::uint32_t, kRow> received{};
    std::array<std::uint16_t, kRow> sound{};  ///< transmissions before one to look at
  };
  static_assert(sizeof(Line) == 64);

  struct Link {
    LinkFaultDraw draw;
    std::uint64_t sound = 0;  ///< transmissions before the next fault, beyond those in the line
    std::uint64_t errors = 0;
    std::uint64_t repeats = 0;

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(draw, sound, errors, repeats);
    }
  };

  std::size_t place(Rank node, unsigned link) const {
    return std::size_t{node} * lines_per_node_ + (link >= kRow ? 1u : 0u);
  }
  static unsigned in_line(unsigned link) { return link - (link >= kRow ? kRow : 0u); }
  Line& line(Rank node, unsigned link) { return lines_[place(node, link)]; }
  Link& link(Rank node, unsigned l) { return links_[std::size_t{node} * degree_ + l]; }
  static std::uint32_t next_check(std::uint32_t crc, std::uint64_t word) {
    return static_cast<std::uint32_t>(((word ^ crc) * 0x9e3779b97f4a7c15ull) >> 32);
  }

  Tick begin_unsound(Rank node, unsigned link, unsigned chunks);
  bool take_sound(Rank node, unsigned link);
  Tick befall(Rank node, unsigned link, LinkFault fault, Tick wire);

  Shape shape_;  ///< without failures: they end what links send, not what they have counted
  unsigned degree_;
  unsigned lines_per_node_;
  Range block_;
  Tick timeout_;
  std::array<Tick, kMaxChunks + 1> wire_cycles_{};  ///< [chunks]
  LargeVector<Line> lines_;                         ///< [place()]; empty: links are not checked
  std::vector<Link> links_;                         ///< [node · degree + link]
};

}  // namespace toroid::sim
