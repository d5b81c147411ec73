// A network in memory that carries frames as any reliable network may: late, in any order, and with
// refused attempts. On demand it also breaks the rules: it copies, damages and loses frames, and
// delivers frames of strangers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/random.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::testing {

using FrameBytes = std::vector<std::byte>;

inline ofi::FrameHeader header_of(std::span<const std::byte> frame) {
  ofi::FrameHeader header{};
  std::memcpy(&header, frame.data(), sizeof(header));
  return header;
}

struct NetworkOptions {
  std::uint64_t seed = 1;
  std::uint32_t busy = 30;  ///< percent of the operations that are refused for now
  std::uint32_t late = 30;  ///< percent of the completions that wait for the next poll
  int gone = -1;            ///< the process to which nothing can be sent; -1 if none
  bool records = true;      ///< keeps every frame that was ever sent
  /// Percent of the completions that report writes that never happened.
  std::uint32_t stray = 0;
  std::size_t least_read = 0;  ///< bytes of the shortest put that is read; 0 if none is read
  /// Slots of each window into which frames are written; 0 if frames are sent as messages.
  unsigned window = 0;
  bool keeps = false;  ///< senders keep their frames for resending
  /// The network's clock advances by this with every poll of any process. If it is 0, the clock is
  /// the wall clock.
  std::chrono::nanoseconds tick{};
  /// Maps a sent frame to the frames that arrive. If empty, each frame arrives unchanged.
  std::function<std::vector<FrameBytes>(unsigned from, unsigned to, const FrameBytes&)> fate{};
};

class FakeNetwork {
 public:
  class Transport;

  FakeNetwork(unsigned processes, NetworkOptions options)
      : options_(std::move(options)), random_(options_.seed), places_(processes) {}

  /// Delivers a frame that no process has sent.
  void inject(unsigned to, FrameBytes frame) { places_[to].under_way.push_back(std::move(frame)); }
  /// Number of numbered frames that have been sent from one process to another.
  std::uint64_t frames_sent(unsigned from, unsigned to) { return frames_sent_[{from, to}]; }
  bool is_empty() const {
    return std::ranges::all_of(places_, [](const Place& p) {
      return p.under_way.empty() && p.written.empty() && p.sending.empty() && p.reading.empty();
    });
  }
  /// Number of completions of writes that never happened.
  std::uint64_t strays() const { return strays_; }
  /// Number of completed reads, and number of memory regions that can be read now.
  std::uint64_t reads() const { return reads_; }
  std::size_t exposed() const { return exposed_.size(); }
  /// All frames that were ever sent, each with its destination.
  const std::vector<std::pair<unsigned, FrameBytes>>& recorded() const { return recorded_; }

 private:
  struct WindowBuffer {
    ofi::Operation* operation = nullptr;
    bool is_free = false;
  };
  struct Place {
    std::vector<ofi::Operation*> sending;
    std::vector<ofi::Operation*> receiving;
    std::vector<ofi::ReadOperation*> reading;
    std::deque<FrameBytes> under_way;  ///< to this process
    /// To this process: (buffer index, frame).
    std::deque<std::pair<std::size_t, FrameBytes>> written;
    std::map<std::size_t, WindowBuffer> free;  ///< buffers of its windows, by index
  };

  bool is_busy() { return random_.below(100) < options_.busy; }
  bool is_late() { return random_.below(100) < options_.late; }

  /// Sends a frame. Reads its buffer only now, so the owner must not have changed the buffer since
  /// the frame was handed over.
  void depart(unsigned from, ofi::Operation& operation) {
    const auto bytes = operation.buffer.first(operation.bytes);
    const FrameBytes frame(bytes.begin(), bytes.end());
    if (!options_.keeps)
      std::ranges::fill(operation.buffer, std::byte{0xcd});  // nobody may read it any more
    count_sent(from, operation.peer, frame);
    if (options_.records) recorded_.emplace_back(operation.peer, frame);
    if (is_written(operation)) {
      const unsigned place = from < operation.peer ? from : from - 1;  // all others are peers
      const std::size_t first = place * (options_.window + 1);
      places_[operation.peer].written.emplace_back(first + operation.slot, frame);
      return;
    }
    auto& way = places_[operation.peer].under_way;
    if (!options_.fate) return way.push_back(frame);
    for (FrameBytes& arriving : options_.fate(from, operation.peer, frame))
      way.push_back(std::move(arriving));
  }

  /// Counts numbered frames; resent frames count once, by their number.
  void count_sent(unsigned from, unsigned to, const FrameBytes& frame) {
    const std::uint64_t sequence = header_of(frame).sequence;
    std::uint64_t& count = frames_sent_[{from, to}];
    if (!options_.keeps) {
      count += sequence != 0 ? 1 : 0;
      return;
    }
    ofi::FrameView view;
    if (ofi::parse(frame, view) == ofi::FrameError::none) count = std::max(count, sequence);
  }

  template <typename T>
  typename T::value_type take_any(T& from) {
    const auto at = from.begin() + random_.below(static_cast<unsigned>(from.size()));
    auto value = std::move(*at);
    from.erase(at);
    return value;
  }

  bool is_written(const ofi::Operation& operation) const {
    return options_.window > 0 && operation.slot != ofi::kAnySlot;
  }
  /// Writes a frame into its window buffer, which must be free; buffers of windows are not posted.
  ofi::Completion arrive_written(Place& place) {
    const auto [index, frame] = take_any(place.written);
    auto& [operation, is_free] = place.free[index];
    EXPECT_TRUE(std::exchange(is_free, false)) << "a frame is written into a buffer that is in use";
    std::ranges::fill(operation->buffer, std::byte{0xce});  // nobody may read it any more
    std::ranges::copy(frame, operation->buffer.begin());
    return {operation, 0, true};
  }
  /// Reports a write that never happened: to any window buffer, in use or not, or to no buffer.
  ofi::Completion stray_write(Place& place) {
    ++strays_;
    const auto any = random_.below(static_cast<std::uint32_t>(place.free.size()) + 1);
    if (any == place.free.size()) return {nullptr, 0};
    return {std::next(place.free.begin(), any)->second.operation, 0, true};
  }

  ofi::Completion arrive(Place& place) {
    const FrameBytes frame = take_any(place.under_way);
    ofi::Operation* const operation = take_any(place.receiving);
    if (frame.size() > operation->buffer.size()) return {operation, ofi::kTooLong};
    std::ranges::copy(frame, operation->buffer.begin());
    operation->bytes = frame.size();
    return {operation, 0};
  }

  /// Completes a read. Reads the memory only now, so the owner must not have changed the memory
  /// since the read began. Addresses are offsets.
  ofi::Completion fetch(ofi::ReadOperation& operation) {
    const auto at = exposed_.find(operation.from.key);
    const auto bytes = operation.buffer.size();
    if (at == exposed_.end() || operation.from.address > at->second.size() ||
        bytes > at->second.size() - operation.from.address)
      return {&operation, 13};
    std::ranges::copy(at->second.subspan(operation.from.address, bytes), operation.buffer.begin());
    ++reads_;
    return {&operation, 0};
  }

  /// Exposed memory, which can be read while this object exists. Does not own the memory.
  struct ExposedRegion final : ofi::Region {
    ExposedRegion(FakeNetwork& network, std::uint64_t key) : Region({0, key}), network(&network) {}
    ~ExposedRegion() override { network->exposed_.erase(exposed().key); }
    FakeNetwork* network;
  };
  struct OpenRegion final : ofi::Region {
    OpenRegion() : Region({}) {}
  };

  NetworkOptions options_;
  Random random_;
  std::map<std::uint64_t, std::span<const std::byte>> exposed_;  ///< by key
  std::uint64_t reads_ = 0;
  std::vector<Place> places_;
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> frames_sent_;
  std::vector<std::pair<unsigned, FrameBytes>> recorded_;
  std::uint64_t strays_ = 0;
  ofi::Clock::time_point now_{};
};

/// A process's end of the network. Checks that buffers lie in `memory` and that none is used twice
/// at the same time.
class FakeNetwork::Transport final : public ofi::Transport {
 public:
  Transport(FakeNetwork& network, unsigned self, std::span<std::byte> memory)
      : network_(&network), self_(self), memory_(memory) {}

  bool try_send(ofi::Operation& operation) override {
    expect_free(operation);
    EXPECT_LE(operation.bytes, operation.buffer.size());
    if (network_->is_busy()) return false;
    place().sending.push_back(&operation);
    return true;
  }
  bool try_receive(ofi::Operation& operation) override {
    expect_free(operation);
    if (network_->is_written(operation)) {
      place().free[operation.user] = {&operation, true};
      return true;
    }
    if (network_->is_busy()) return false;
    std::ranges::fill(operation.buffer, std::byte{0xce});
    place().receiving.push_back(&operation);
    return true;
  }
  std::size_t poll(std::span<ofi::Completion> completions) override {
    std::size_t count = 0;
    network_->now_ += network_->options_.tick;
    while (count < completions.size() && !network_->is_late()) {
      const bool can_arrive = !place().under_way.empty() && !place().receiving.empty();
      if (network_->random_.below(100) < network_->options_.stray) {
        completions[count++] = network_->stray_write(place());
        continue;
      }
      if (!place().reading.empty() && network_->random_.coin()) {
        completions[count++] = network_->fetch(*network_->take_any(place().reading));
        continue;
      }
      if (!place().written.empty() && network_->random_.coin()) {
        completions[count++] = network_->arrive_written(place());
        continue;
      }
      if (place().sending.empty() && !can_arrive) break;
      if (can_arrive && (place().sending.empty() || network_->random_.coin())) {
        completions[count++] = network_->arrive(place());
      } else {
        ofi::Operation* const sent = network_->take_any(place().sending);
        const bool lost = static_cast<int>(sent->peer) == network_->options_.gone;
        if (!lost) network_->depart(self_, *sent);
        completions[count++] = {sent, lost ? 111 : 0};
      }
    }
    return count;
  }
  std::string text_of(int error) const override { return "error " + std::to_string(error); }

  ofi::Clock::time_point now() const override {
    return network_->options_.tick.count() > 0 ? network_->now_ : ofi::Clock::now();
  }

  std::size_t least_read() const override { return network_->options_.least_read; }
  std::unique_ptr<ofi::Region> expose(std::span<const std::byte> memory) override {
    const std::uint64_t key = network_->random_.next();
    network_->exposed_[key] = memory;
    return std::make_unique<ExposedRegion>(*network_, key);
  }
  std::unique_ptr<ofi::Region> open(std::span<std::byte>) override {
    return std::make_unique<OpenRegion>();
  }
  bool try_read(ofi::ReadOperation& operation) override {
    if (network_->is_busy()) return false;
    std::ranges::fill(operation.buffer, std::byte{0xce});
    place().reading.push_back(&operation);
    return true;
  }

  /// Number of buffers that wait for a frame.
  std::size_t receiving() {
    return place().receiving.size() + static_cast<std::size_t>(std::ranges::count_if(
                                          place().free, [](auto& f) { return f.second.is_free; }));
  }

 private:
  Place& place() { return network_->places_[self_]; }
  void expect_free(const ofi::Operation& operation) {
    EXPECT_GE(operation.buffer.data(), memory_.data());
    EXPECT_LE(operation.buffer.data() + operation.buffer.size(), memory_.data() + memory_.size());
    EXPECT_EQ(std::ranges::count(place().sending, &operation), 0);
    EXPECT_EQ(std::ranges::count(place().receiving, &operation), 0);
  }

  FakeNetwork* network_;
  unsigned self_;
  std::span<std::byte> memory_;
};

}  // namespace toroid::testing
