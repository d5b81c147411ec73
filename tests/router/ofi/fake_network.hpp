// A network in memory that carries frames as a reliable one may: late, in any order, and not when
// the sender wants. On demand it does what none may: it copies frames, damages them, loses them,
// and brings what strangers write.
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
  std::uint32_t busy = 30;     ///< percent of the operations to which it says "not now"
  std::uint32_t late = 30;     ///< percent of the completions that wait for the next poll
  int gone = -1;               ///< the process to which nothing can be sent
  bool records = true;         ///< keeps every frame that was ever sent
  std::uint32_t stray = 0;     ///< percent of polls that tell of writes that were none
  std::size_t least_read = 0;  ///< bytes of the shortest put that is read; 0: none is
  unsigned window = 0;  ///< frames are written into windows of so many slots; 0: they are sent
  bool keeps = false;   ///< senders keep their frames, which they send again
  /// By which the network's clock goes on with every poll of any process; 0: the time is the wall
  /// clock's.
  std::chrono::nanoseconds tick{};
  /// What becomes of a frame on its way: the frames that arrive. Empty: itself.
  std::function<std::vector<FrameBytes>(unsigned from, unsigned to, const FrameBytes&)> fate{};
};

class FakeNetwork {
 public:
  class Transport;

  FakeNetwork(unsigned processes, NetworkOptions options)
      : options_(std::move(options)), random_(options_.seed), places_(processes) {}

  /// Brings a frame that no process has sent.
  void inject(unsigned to, FrameBytes frame) { places_[to].under_way.push_back(std::move(frame)); }
  /// Numbered frames that have been sent from one to the other.
  std::uint64_t frames_sent(unsigned from, unsigned to) { return frames_sent_[{from, to}]; }
  bool is_empty() const {
    return std::ranges::all_of(places_, [](const Place& p) {
      return p.under_way.empty() && p.written.empty() && p.sending.empty() && p.reading.empty();
    });
  }
  /// Completions that told of writes that were none.
  std::uint64_t strays() const { return strays_; }
  /// Reads that have fetched their bytes, and regions of memory that can be read now.
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
    std::deque<FrameBytes> under_way;                        ///< to this process
    std::deque<std::pair<std::size_t, FrameBytes>> written;  ///< to it, for the buffer of an index
    std::map<std::size_t, WindowBuffer> free;                ///< buffers of its windows, by index
  };

  bool is_busy() { return random_.below(100) < options_.busy; }
  bool is_late() { return random_.below(100) < options_.late; }

  /// The buffer is read now, not when it was handed over: until then it must not change.
  void depart(unsigned from, ofi::Operation& operation) {
    const auto bytes = operation.buffer.first(operation.bytes);
    const FrameBytes frame(bytes.begin(), bytes.end());
    if (!options_.keeps)
      std::ranges::fill(operation.buffer, std::byte{0xcd});  // nobody may still need it
    count_sent(from, operation.peer, frame);
    if (options_.records) recorded_.emplace_back(operation.peer, frame);
    if (is_written(operation)) {
      const unsigned place = from < operation.peer ? from : from - 1;  // each has all others
      const std::size_t first = place * (options_.window + 1);
      places_[operation.peer].written.emplace_back(first + operation.slot, frame);
      return;
    }
    auto& way = places_[operation.peer].under_way;
    if (!options_.fate) return way.push_back(frame);
    for (FrameBytes& arriving : options_.fate(from, operation.peer, frame))
      way.push_back(std::move(arriving));
  }

  /// Frames that are sent again count once, by their number.
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
  /// The buffer must be free; nobody posts it.
  ofi::Completion arrive_written(Place& place) {
    const auto [index, frame] = take_any(place.written);
    auto& [operation, is_free] = place.free[index];
    EXPECT_TRUE(std::exchange(is_free, false)) << "a frame is written into a buffer that is in use";
    std::ranges::fill(operation->buffer, std::byte{0xce});  // nobody may still need it
    std::ranges::copy(frame, operation->buffer.begin());
    return {operation, 0, true};
  }
  /// Of any buffer of a window, in use or not, or of none.
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

  /// Memory is read late: its owner must not have changed it. Offsets name its bytes.
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

  /// Owns nothing: the table forgets the memory with it.
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

/// A process's end of it. Sees to it that buffers are those of `memory`, and each in use once.
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

  /// Buffers that wait for a frame.
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
