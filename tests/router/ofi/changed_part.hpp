// A network that changes a part of a put on its way, as if the sender had described the part
// wrongly.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "router/ofi/frame.hpp"
#include "tests/router/ofi/fake_network.hpp"
#include "tests/router/ofi/frames.hpp"

namespace toroid::testing {

/// Waits for the first frame that begins with a part, and calls change(header, bytes) for that
/// part.
NetworkOptions with_changed_part(const auto& change) {
  NetworkOptions network{.seed = 2};
  network.fate = [change, done = false](unsigned, unsigned, const FrameBytes& frame) mutable {
    FrameMemory memory(frame);
    ofi::FrameView view;
    const bool is_read = ofi::parse(memory.bytes(), view) == ofi::FrameError::none;
    if (done || !is_read || view.runs.empty() || view.runs[0].channel != ofi::kPartChannel)
      return std::vector<FrameBytes>{frame};
    done = true;
    ofi::PartHeader part = ofi::part_at(view.packets);
    const std::span<std::byte> at = memory.bytes().subspan(sizeof(ofi::FrameHeader));
    change(part, at.subspan(sizeof part, part.bytes));
    std::memcpy(at.data(), &part, sizeof part);
    memory.sign();
    return std::vector<FrameBytes>{{memory.bytes().begin(), memory.bytes().end()}};
  };
  return network;
}

}  // namespace toroid::testing
