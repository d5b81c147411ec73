#include "packet/exchange/conservation.hpp"

#include <fmt/core.h>

#include <cstdlib>

namespace toroid {
namespace {

/// The sums of the received packets minus those of the expected packets.
struct Excess {
  std::int64_t packets;
  std::int64_t origins;
  std::int64_t squares;

  Excess(const Arrivals& expected, const Arrivals& received)
      : packets(static_cast<std::int64_t>(received.packets - expected.packets)),
        origins(static_cast<std::int64_t>(received.origins - expected.origins)),
        squares(static_cast<std::int64_t>(received.squares - expected.squares)) {}

  /// The source of the excess, if all of it comes from a single source.
  std::optional<Rank> source(Rank nodes) const {
    if (packets == 0 || origins % packets != 0) return std::nullopt;
    const std::int64_t one = origins / packets;
    if (one < 1 || one > nodes || one * one * packets != squares) return std::nullopt;
    return static_cast<Rank>(one - 1);
  }
  /// One packet too many came from `twice`, and one too few from `never`. The sums give the
  /// difference of their numbers (rank + 1) and of the squares of these numbers.
  struct Swap {
    Rank twice;
    Rank never;
  };
  std::optional<Swap> swap(Rank nodes) const {
    if (packets != 0 || origins == 0 || squares % origins != 0) return std::nullopt;
    const std::int64_t sum = squares / origins;
    const std::int64_t twice = (sum + origins) / 2;
    const std::int64_t never = sum - twice;
    if (twice < 1 || never < 1 || twice > nodes || never > nodes || twice - never != origins)
      return std::nullopt;
    return Swap{static_cast<Rank>(twice - 1), static_cast<Rank>(never - 1)};
  }
};

std::string counted(std::uint64_t packets) {
  return fmt::format("{} packet{}", packets, packets == 1 ? "" : "s");
}

}  // namespace

std::optional<std::string> named_difference(const Shape& shape, Rank to, const Arrivals& expected,
                                            const Arrivals& received) {
  if (expected == received) return std::nullopt;
  const Excess excess(expected, received);
  const std::string there = shape.coord_text(to);
  if (const auto source = excess.source(shape.size()))
    return fmt::format(
        "{} from {} to {} {}", counted(static_cast<std::uint64_t>(std::abs(excess.packets))),
        shape.coord_text(*source), there, excess.packets < 0 ? "lost" : "more than expected");
  if (const auto swap = excess.swap(shape.size()))
    return fmt::format("a packet from {} to {} lost, one from {} more than expected",
                       shape.coord_text(swap->never), there, shape.coord_text(swap->twice));
  return std::nullopt;
}

std::optional<std::string> difference(const Shape& shape, Rank to, const Arrivals& expected,
                                      const Arrivals& received) {
  if (expected == received) return std::nullopt;
  if (auto named = named_difference(shape, to, expected, received)) return named;
  return fmt::format("{} received {} of {}, but not each exactly once", shape.coord_text(to),
                     counted(received.packets), expected.packets);
}

}  // namespace toroid
