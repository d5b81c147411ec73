// Random puts and gets among the windows of all nodes, and their results by a plain loop over
// bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/strided_box.hpp"
#include "packet/exchange/window.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "tests/random_bytes.hpp"
#include "tests/router/emulated_machine.hpp"

namespace toroid::testing {

using Bytes = std::vector<std::byte>;

inline constexpr std::byte kUntouched{0xee};

/// Index in memory of byte `i` of a box.
inline std::size_t place_in(const StridedBox& box, std::size_t i) {
  return box.offset + i / box.bytes * box.stride + i % box.bytes;
}

/// The byte at a place of the memory that a node lets others get.
inline std::byte shown_byte(Rank node, std::size_t at) {
  return static_cast<std::byte>(17 * node + at % 249);
}

/// A put or get.
struct WindowStep {
  Rank peer;
  StridedBox there;
  StridedBox here;
  bool is_get;
  bool is_acknowledged;
  bool is_awaited;  ///< whether it must complete before the next step
  Bytes array;      ///< source of a put, or destination of a get
  Bytes expected;   ///< content of the destination after a get
};

/// Each node has one window that nodes put to and another that they get from, and a list of puts
/// and gets, its steps. Every process makes the same world from the same seed.
class WindowWorld {
 public:
  /// `ranks`: the nodes of this process. `most`: largest number of bytes of a put or get.
  template <typename Machine>
  WindowWorld(Machine& machine, const std::vector<Rank>& ranks, std::uint64_t seed,
              std::size_t most)
      : random_(seed, 0), most_(most), slot_(3 * most + 64), steps_(machine.size()) {
    const Rank nodes = machine.size();
    memory_.assign(nodes, Bytes(kSlots * slot_ + 2 * kGuard, kUntouched));
    expected_ = memory_;
    arriving_.assign(nodes, 0);
    shown_.resize(nodes, Bytes(kSlots * slot_));
    for (Rank r = 0; r < nodes; ++r)
      for (std::size_t at = 0; at < shown_[r].size(); ++at) shown_[r][at] = shown_byte(r, at);
    for (Rank r = 0; r < nodes; ++r)
      for (std::size_t slot = 0; slot < kSlots; ++slot) draw(nodes, r, slot);
    windows_.resize(nodes);
    sources_.resize(nodes);
    for (const Rank r : ranks) {
      windows_[r] = std::make_unique<Window>(machine.node(r),
                                             std::span(memory_[r]).subspan(kGuard, kSlots * slot_));
      sources_[r] = std::make_unique<Window>(machine.node(r), shown_[r]);
    }
  }

  Window& window(Rank r) { return *windows_[r]; }
  Window& source(Rank r) { return *sources_[r]; }
  std::vector<WindowStep>& steps(Rank r) { return steps_[r]; }
  std::uint64_t arriving(Rank r) const { return arriving_[r]; }

  /// Checks after the run that the windows hold what a loop over bytes gives, and nothing else.
  void expect_right(Rank r) {
    EXPECT_TRUE(equal_bytes(memory_[r], expected_[r])) << "window of node " << r;
    EXPECT_EQ(windows_[r]->bytes_arrived().value(), arriving_[r]);
    for (const WindowStep& step : steps_[r])
      if (step.is_get) {
        EXPECT_TRUE(equal_bytes(step.array, step.expected))
            << "get of node " << r << " from " << step.peer;
      }
  }

 private:
  static constexpr std::size_t kSlots = 5;
  static constexpr std::size_t kGuard = 64;  ///< bytes on either side of a window; never written

  std::uint32_t below(std::size_t n) { return random_.below(static_cast<std::uint32_t>(n)); }

  StridedBox box_of(std::size_t offset, std::size_t total, std::size_t stretch) {
    if (total == 0) return StridedBox::stretch(offset, 0);
    return {.offset = offset + below(30),
            .count = total / stretch,
            .bytes = stretch,
            .stride = stretch + below(stretch + 1)};
  }

  /// Draws a node that puts to a slot of the peer's window and gets from the same slot of the
  /// memory that the peer shows.
  void draw(Rank nodes, Rank peer, std::size_t slot) {
    const Rank origin = below(nodes);
    for (const bool is_get : {false, true}) {
      const std::size_t stretch = 1 + below(below(2) == 0 ? 20 : most_ / 4);
      const std::size_t total = below(8) == 0 ? 0 : stretch * (1 + below(most_ / stretch));
      const std::size_t stretches[] = {total, stretch, std::gcd<std::size_t>(total, 6)};
      const StridedBox there = box_of(slot * slot_, total, stretches[below(2)]);
      const StridedBox here = box_of(0, total, stretches[below(3)]);
      WindowStep step{peer, there, here, is_get, below(2) == 0, below(3) == 0, {}, {}};
      step.array.resize(3 * most_ + 64, kUntouched);
      is_get ? draw_get(step) : draw_put(step, total);
      steps_[origin].push_back(std::move(step));
    }
  }
  void draw_get(WindowStep& step) {
    step.expected = step.array;
    for (std::size_t i = 0; i < step.here.total(); ++i)
      step.expected[place_in(step.here, i)] = shown_[step.peer][place_in(step.there, i)];
  }
  void draw_put(WindowStep& step, std::size_t total) {
    fill_at_random(step.array, Random(random_.next()));
    for (std::size_t i = 0; i < total; ++i)
      expected_[step.peer][kGuard + place_in(step.there, i)] = step.array[place_in(step.here, i)];
    arriving_[step.peer] += total;
  }

  Random random_;
  std::size_t most_;
  std::size_t slot_;
  std::vector<Bytes> memory_;    ///< [node]: the window with a guard at either side
  std::vector<Bytes> expected_;  ///< [node]: the expected content of memory_
  std::vector<Bytes> shown_;     ///< [node]: the memory that others get
  std::vector<std::uint64_t> arriving_;
  std::vector<std::vector<WindowStep>> steps_;  ///< indexed by the node that takes the steps
  std::vector<std::unique_ptr<Window>> windows_;
  std::vector<std::unique_ptr<Window>> sources_;
};

/// Takes a node's steps. The source of a put is overwritten as soon as that is allowed.
inline Program take_steps(Node& node, WindowWorld* world) {
  Window& window = world->window(node.rank());
  Window& source = world->source(node.rank());
  for (WindowStep& step : world->steps(node.rank())) {
    if (step.is_get) {
      WindowAwaiter got = source.get(step.peer, step.there, step.array, step.here);
      if (!step.is_awaited) continue;
      co_await got;
      TOROID_CHECK(equal_bytes(step.array, step.expected));
    } else {
      const auto acknowledge = step.is_acknowledged ? Acknowledge::yes : Acknowledge::no;
      const PendingPut put = window.put(step.peer, step.there, step.array, step.here, acknowledge);
      if (!step.is_awaited) continue;
      WindowAwaiter done = step.is_acknowledged ? put.remote() : put.local();
      co_await done;
      std::fill(step.array.begin(), step.array.end(), kUntouched);
    }
  }
  const std::uint64_t arriving = world->arriving(node.rank());
  co_await window.sent();
  co_await window.arrived(arriving);
  co_await window.complete();
  co_await source.complete();
}

inline void take_all_steps(EmulatedMachine& machine, std::uint64_t seed,
                           std::size_t most = 20'000) {
  WindowWorld world(machine, machine.ranks(), seed, most);
  machine.run([&](Node& node) { return take_steps(node, &world); });
  EXPECT_TRUE(machine.finished());
  for (const Rank r : machine.ranks()) world.expect_right(r);
}

}  // namespace toroid::testing
