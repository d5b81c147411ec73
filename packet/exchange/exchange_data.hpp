// What really travels in an exchange of a traffic: bytes that follow from source, destination and
// place, so that every one of them can be checked where it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// One node's two arrays: a block for each of its targets, and one for each of its sources.
class ExchangeData {
 public:
  ExchangeData(const Traffic& traffic, Rank self, std::uint64_t seed);

  std::span<const std::byte> to(Rank target) const { return out_.block(target); }
  /// REQUIRES: `source` sends here.
  std::span<std::byte> from(Rank source) { return in_.block(source); }
  /// The first source of which something has not arrived as it was sent; none: all has.
  std::optional<Rank> damaged() const;

  /// Bytes of both arrays of all nodes.
  static double total_bytes(const Traffic& traffic, Rank nodes);

 private:
  /// Blocks by peer, one after the other.
  class Blocks {
   public:
    Blocks(std::vector<Rank> peers, const std::vector<std::uint64_t>& bytes);
    const std::vector<Rank>& peers() const { return peers_; }
    std::span<std::byte> block(Rank peer) {
      return std::span(bytes_).subspan(at(peer), size(peer));
    }
    std::span<const std::byte> block(Rank peer) const {
      return std::span(bytes_).subspan(at(peer), size(peer));
    }

   private:
    std::size_t index(Rank peer) const;
    std::size_t at(Rank peer) const { return ends_[index(peer)]; }
    std::size_t size(Rank peer) const {
      const std::size_t i = index(peer);
      return ends_[i + 1] - ends_[i];
    }
    std::vector<Rank> peers_;        ///< ascending
    std::vector<std::size_t> ends_;  ///< [index of the peer + 1]
    std::vector<std::byte> bytes_;
  };

  static Blocks blocks_to(const Traffic& traffic, Rank self);
  static Blocks blocks_from(const Traffic& traffic, Rank self);

  Rank self_;
  std::uint64_t seed_;
  Blocks out_;
  Blocks in_;
};

}  // namespace toroid
