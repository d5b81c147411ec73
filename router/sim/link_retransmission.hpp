// The protocol of the model's links: packets have numbers and CRCs, and faulty ones are sent again.
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
#include "router/sim/node_range.hpp"

namespace toroid::sim {

/// The data that the sender's end of a link uses for every packet. A model with space in its link
/// records keeps these two members there, beside the tokens, where they need no cache line of their
/// own.
struct SendingEnd {
  std::uint32_t sent_crc = 0;
  std::uint16_t sound = 0;  ///< fault-free transmissions before begin() has to ask for the next
                            ///< fault
};

/// The links of a block's routers, if links are checked.
///
/// **Repeats:** the receiver refuses a packet whose CRC or number is wrong, and all packets that
/// follow (go-back-N). The sender repeats these packets when no acknowledgement has come in time.
/// The model holds the link from the first transmission to the accepted one; on hardware,
/// transmissions that are refused fill the same time. Until the accepted transmission the packet
/// keeps its place in its queue and its room downstream. So no token is lost or doubled, and no
/// routing rule changes.
/// **CRCs:** each end has a CRC of all packets that it has sent or accepted, in order. The model
/// computes it from packets' numbers and the rest of their routes.
///
/// A block's network owns it; one thread at a time calls it. Nodes are counted from the block's
/// first.
class LinkRetransmission {
 public:
  LinkRetransmission(const Shape& shape, const Machine& machine, const RoutingOptions& options,
                     Range block);

  bool is_on() const { return !received_.empty(); }
  /// A packet begins to leave by a link. `end` is the sender's end: a SendingEnd or a type with the
  /// same members. Returns the number of cycles for which the packet is held before the accepted
  /// transmission. REQUIRES: is_on(), like all functions below.
  template <typename End>
  [[gnu::always_inline]] Tick begin(End& end, Rank node, unsigned link, unsigned chunks) {
    if (end.sound == 0) [[unlikely]] {
      SendingEnd copy{end.sent_crc, 0};
      const Tick held = begin_unsound(copy, node, link, chunks);
      end.sent_crc = copy.sent_crc;
      end.sound = copy.sound;
      return held;
    }
    --end.sound;
    return 0;
  }
  /// The accepted transmission begins; `word` identifies the packet.
  template <typename End>
  [[gnu::always_inline]] static void sent(End& end, std::uint64_t word) {
    end.sent_crc = next_check(end.sent_crc, word);
  }
  /// The packet that `word` identifies has arrived at `node`, travelling in direction `travelling`.
  [[gnu::always_inline]] void received(Rank node, unsigned travelling, std::uint64_t word) {
    std::uint32_t& crc = received_[row(node) + travelling];
    crc = next_check(crc, word);
  }
  [[gnu::always_inline]] void prefetch(Rank node) const {
    __builtin_prefetch(&received_[row(node)]);
  }

  std::uint64_t errors(Rank node, Direction link) const {
    return links_[std::size_t{node} * degree_ + link.index].errors;
  }
  /// Writes the counts and CRCs of the block's ends of links to `health`, which covers the whole
  /// machine. `sent_crc(node, link)` is the sender's CRC.
  template <typename SentCrc>
  void add_to(std::vector<LinkHealth>& health, const SentCrc& sent_crc) const {
    health.resize(std::size_t{shape_.size()} * degree_);
    for (Rank node = 0; node < block_.count; ++node)
      for (unsigned l = 0; l < degree_; ++l) add_link(health, node, l, sent_crc(node, l));
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(received_, links_);
  }

 private:
  struct Link {
    LinkFaultDraw draw;
    std::uint64_t sound = 0;  ///< fault-free transmissions before the next fault, in addition to
                              ///< SendingEnd::sound
    std::uint64_t errors = 0;
    std::uint64_t repeats = 0;

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(draw, sound, errors, repeats);
    }
  };

  /// Index at which the CRCs of a router begin; they lie in one cache line.
  std::size_t row(Rank node) const { return std::size_t{node} << row_bits_; }
  Link& link(Rank node, unsigned l) { return links_[std::size_t{node} * degree_ + l]; }
  static std::uint32_t next_check(std::uint32_t crc, std::uint64_t word) {
    return static_cast<std::uint32_t>(((word ^ crc) * 0x9e3779b97f4a7c15ull) >> 32);
  }

  Tick begin_unsound(SendingEnd& end, Rank node, unsigned link, unsigned chunks);
  bool take_sound(SendingEnd& end, Rank node, unsigned link);
  Tick befall(SendingEnd& end, Rank node, unsigned link, LinkFault fault, Tick wire);
  void add_link(std::vector<LinkHealth>& health, Rank node, unsigned link,
                std::uint32_t sent_crc) const;

  Shape shape_;  ///< without failures, so that failed links are still counted
  unsigned degree_;
  unsigned row_bits_;  ///< a row has 2^row_bits_ elements
  Range block_;
  Tick timeout_;
  std::array<Tick, kMaxChunks + 1> wire_cycles_{};  ///< [chunks]
  /// CRCs of the accepted packets, [row(node) + direction]; empty if links are not checked
  LargeVector<std::uint32_t> received_;
  std::vector<Link> links_;  ///< [node · degree + link]
};

}  // namespace toroid::sim
