// Checks the cycle of buffers in a deadlock report.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/direction.hpp"
#include "hal/shape.hpp"

namespace toroid::testing {

/// A buffer as the report names it: "(1,2) Y+ BN" is node, direction of travel, channel.
struct Buffer {
  Rank node;
  Direction travelling;
  std::string channel;
};

inline Buffer parse_buffer(const Shape& shape, const std::string& name) {
  const std::string node = name.substr(0, name.find(' '));
  const std::string rest = name.substr(node.size() + 1);
  for (Rank r = 0; r < shape.size(); ++r)
    for (std::uint8_t l = 0; l < shape.links(); ++l)
      if (shape.coord_text(r) == node && Direction{l}.name() == rest.substr(0, 2))
        return {r, Direction{l}, rest.substr(3)};
  throw std::runtime_error("no buffer: " + name);
}

inline std::vector<Buffer> parse_cycle(const Shape& shape, const std::string& text) {
  const std::string title = "the cycle of buffers: ";
  std::vector<Buffer> cycle;
  for (std::size_t at = text.find(title) + title.size(); at < text.size();) {
    const std::size_t end = std::min(text.find(" -> ", at), text.size());
    cycle.push_back(parse_buffer(shape, text.substr(at, end - at)));
    at = end + 4;
  }
  return cycle;
}

/// Expects that each buffer leads to the next, and that the last one equals the first.
inline void expect_cycle(const Shape& shape, const std::string& text) {
  ASSERT_NE(text.find("the cycle of buffers: "), std::string::npos) << text;
  const auto cycle =
      parse_cycle(shape, text.substr(0, text.find("; ", text.find("the cycle of buffers: "))));
  ASSERT_GE(cycle.size(), 3u) << text;
  EXPECT_EQ(cycle.front().node, cycle.back().node) << text;
  EXPECT_EQ(cycle.front().travelling, cycle.back().travelling) << text;
  for (std::size_t i = 1; i < cycle.size(); ++i) {
    EXPECT_EQ(shape.neighbour(cycle[i - 1].node, cycle[i].travelling), cycle[i].node) << text;
    EXPECT_TRUE(cycle[i].channel == "BN" || cycle[i].channel == "D0" || cycle[i].channel == "D1")
        << text;
  }
}

}  // namespace toroid::testing
