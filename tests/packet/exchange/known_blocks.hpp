// Blocks of an all-to-all whose bytes both ends know.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/node/node.hpp"

namespace toroid::testing {

/// The byte at index `at` of a block in a round.
inline std::byte known_byte(Rank from, Rank to, std::size_t at, unsigned round) {
  return static_cast<std::byte>(31 * round + 7 * from + 3 * to + at % 251);
}

/// Fills the blocks that `self` sends to each of `nodes` nodes.
inline void fill_known(BlockMessages& blocks, Rank self, Rank nodes, unsigned round = 0) {
  for (Rank to = 0; to < nodes; ++to) {
    const std::span<std::byte> block = blocks.to(to);
    for (std::size_t at = 0; at < block.size(); ++at) block[at] = known_byte(self, to, at, round);
  }
}

inline std::unique_ptr<BlockMessages> known_blocks(const Node& node, std::uint64_t bytes) {
  auto blocks = std::make_unique<BlockMessages>(node.shape(), node.rank(), bytes);
  fill_known(*blocks, node.rank(), node.size());
  return blocks;
}

/// Checks the blocks that `self` has received from each of the others. To save time, it calls
/// ASSERT_EQ only for a wrong byte.
inline void expect_known(const BlockMessages& blocks, Rank self, Rank nodes, unsigned round = 0) {
  for (Rank from = 0; from < nodes; ++from) {
    if (from == self) continue;
    const std::span<const std::byte> block = blocks.from(from);
    for (std::size_t at = 0; at < block.size(); ++at) {
      const std::byte known = known_byte(from, self, at, round);
      if (block[at] == known) continue;
      ASSERT_EQ(block[at], known) << from << " to " << self << " at " << at;
    }
  }
}

}  // namespace toroid::testing
