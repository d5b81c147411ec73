// Processes that send each other numbers over a network in memory. Used to test the gateway alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hal/counters.hpp"
#include "hal/link_errors.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "router/job/blob.hpp"
#include "router/ofi/faulty_transport.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/frame_flow_health.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/transport.hpp"
#include "tests/router/ofi/fake_network.hpp"

namespace toroid::testing {

/// The token that a holder of the key would compute.
inline std::uint64_t token_of(unsigned from, unsigned to) {
  return mix64(std::uint64_t{from} << 32 | to);
}

/// The identities of one process's flows, one for each other process.
inline std::vector<ofi::FlowIdentity> identities_of(unsigned self, unsigned processes) {
  std::vector<ofi::FlowIdentity> identities;
  for (unsigned peer = 0; peer < processes; ++peer)
    if (peer != self)
      identities.push_back({self, peer, token_of(self, peer), token_of(peer, self)});
  return identities;
}

/// Sends numbers in packets: the argument is the number, and the payload is computed from it.
class NumberGateway final : public ofi::Gateway {
 public:
  static constexpr std::uint32_t kTarget = 5;

  NumberGateway(ofi::Transport& transport, ofi::FrameBuffers& buffers, unsigned self,
                unsigned processes, std::uint64_t seed)
      : Gateway(transport, buffers, processes, identities_of(self, processes)),
        random_(seed, self),
        received_(processes),
        released_(processes) {}

  [[nodiscard]] bool try_send(unsigned peer, std::uint32_t number) {
    if (out(peer).room() == 0) return false;
    ofi::FrameWriter& writer = out(peer).writer();
    const auto payload = payload_of(number);
    copy_payload(writer.claim().payload.data(), payload.data(), payload.size());
    writer.commit(kTarget, 0, header_of_packet(number));
    return true;
  }

  /// The numbers received from `peer`, in the order of its frames.
  const std::vector<std::uint32_t>& received(unsigned peer) const { return received_[peer]; }
  std::uint64_t frames_released(unsigned peer) const { return released_[peer]; }
  bool owes_nothing(unsigned peer) {
    return out(peer).in_flight() == 0 && !out(peer).has_unsent() &&
           !out(peer).owes_acknowledgement();
  }
  std::uint64_t in_flight(unsigned peer) { return out(peer).in_flight(); }
  std::size_t frames_held() const { return held_.size(); }
  /// keep(true) stops the release of frames until keep(false) is called.
  void keep(bool keeps) { keeps_ = keeps; }

 private:
  static std::vector<std::byte> payload_of(std::uint32_t number) {
    std::vector<std::byte> payload(mix64(number) % (kPayloadBytes + 1));
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = std::byte(number + 3 * i);
    return payload;
  }
  static PacketHeader header_of_packet(std::uint32_t number) {
    const auto bytes = static_cast<unsigned>(payload_of(number).size());
    return PacketHeader(HeaderFields{
        .hints = {}, .chunks = chunks_for(bytes), .payload_bytes = bytes, .argument = number});
  }

  bool is_valid(unsigned, const ofi::PacketRun& run, const PacketHeader&) const override {
    return run.target == kTarget;
  }
  void deliver(ofi::ReceivedFrame& frame) override {
    for (const std::uint32_t number : numbers_of(frame))
      received_[frame.view.header.source].push_back(number);
    held_.push_back(&frame);
  }
  /// Releases frames late and in any order; until then they must not change.
  bool progress() override {
    bool moved = false;
    while (!keeps_ && !held_.empty() && random_.below(3) != 0) {
      const auto at = held_.begin() + random_.below(static_cast<std::uint32_t>(held_.size()));
      ofi::ReceivedFrame& frame = **at;
      held_.erase(at);
      numbers_of(frame);
      ++released_[frame.view.header.source];
      release(frame);
      moved = true;
    }
    return moved;
  }

  std::vector<std::uint32_t> numbers_of(const ofi::ReceivedFrame& frame) const {
    std::vector<std::uint32_t> numbers;
    const std::byte* at = frame.view.packets;
    for (const ofi::PacketRun& run : frame.view.runs)
      for (unsigned i = 0; i < run.packets; ++i) {
        const Packet& packet = ofi::packet_at(at);
        const std::uint32_t number = packet.header.argument();
        EXPECT_EQ(packet.header, header_of_packet(number));
        EXPECT_TRUE(std::ranges::equal(packet.bytes(), payload_of(number)));
        numbers.push_back(number);
        at += ofi::framed_bytes(packet.header.payload_bytes());
      }
    return numbers;
  }

  Random random_;
  std::vector<std::vector<std::uint32_t>> received_;  ///< [process]
  std::vector<std::uint64_t> released_;               ///< [process]
  std::vector<ofi::ReceivedFrame*> held_;
  bool keeps_ = false;
};

inline constexpr ofi::FlowLimits kSmallFrames{.frame_bytes = 1024, .window = 4, .send_buffers = 3};

/// All processes of a run, which take steps one at a time.
class NumberRun {
 public:
  NumberRun(unsigned processes, const NetworkOptions& options,
            ofi::FlowLimits limits = kSmallFrames, const LinkErrors& errors = {})
      : network_(processes, options), random_(options.seed, 77), window_(limits.window) {
    for (unsigned p = 0; p < processes; ++p)
      processes_.push_back(
          std::make_unique<Process>(network_, p, processes, limits, options.seed, errors));
  }

  FakeNetwork& network() { return network_; }
  NumberGateway& gateway(unsigned p) { return processes_[p]->gateway; }
  FakeNetwork::Transport& transport(unsigned p) { return processes_[p]->transport; }
  unsigned size() const { return static_cast<unsigned>(processes_.size()); }

  void step(unsigned p, bool idle) {
    (void)gateway(p).step(idle);
    for (unsigned from = 0; from < size(); ++from)
      for (unsigned to = 0; to < size(); ++to) {
        const std::uint64_t sent = network_.frames_sent(from, to);
        ASSERT_LE(sent, gateway(to).frames_released(from) + window_);
      }
  }

  /// Sends `count` numbers from each process to every other; a random process takes each step.
  void exchange(std::uint32_t count) {
    std::vector<std::uint32_t> next(size() * size(), 0);
    for (unsigned steps = 0; !is_complete(count); ++steps) {
      ASSERT_LT(steps, 3'000'000u) << "the run does not end";
      const unsigned p = random_.below(size());
      const unsigned peer = random_.below(size());
      std::uint32_t& number = next[p * size() + peer];
      for (unsigned some = random_.below(30); peer != p && number < count && some > 0; --some)
        number += gateway(p).try_send(peer, number) ? 1 : 0;
      ASSERT_NO_FATAL_FAILURE(step(p, random_.coin()));
    }
  }

  /// Takes steps until everything is acknowledged and every buffer waits for a frame again.
  void settle() {
    for (unsigned steps = 0; !is_at_rest(); ++steps) {
      ASSERT_LT(steps, 3'000'000u) << "the run does not come to rest";
      ASSERT_NO_FATAL_FAILURE(step(steps % size(), true));
    }
  }

  void expect_numbers_in_order(std::uint32_t count) {
    std::vector<std::uint32_t> numbers(count);
    for (std::uint32_t i = 0; i < count; ++i) numbers[i] = i;
    for (unsigned p = 0; p < size(); ++p)
      for (unsigned from = 0; from < size(); ++from)
        ASSERT_EQ(gateway(p).received(from), from == p ? std::vector<std::uint32_t>{} : numbers);
  }

  std::uint64_t faults() const {
    std::uint64_t sum = 0;
    for (const auto& process : processes_) sum += process->faulty.faults();
    return sum;
  }
  /// The health of both directions between every two processes, as computed by process 0.
  std::vector<LinkHealth> health() {
    std::vector<Blob> packed;
    for (const auto& process : processes_) packed.push_back(ofi::pack(process->gateway.health()));
    return ofi::unpack_and_judge(packed);
  }

  ofi::RefusedFrames refused() {
    ofi::RefusedFrames sum{};
    for (unsigned p = 0; p < size(); ++p)
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += gateway(p).refused()[e];
    return sum;
  }

 private:
  struct Process {
    Process(FakeNetwork& network, unsigned self, unsigned processes, const ofi::FlowLimits& limits,
            std::uint64_t seed, const LinkErrors& errors)
        : buffers(processes - 1, limits),
          transport(network, self, buffers.memory()),
          faulty(transport, errors, seed, self, processes),
          gateway(errors.are_checked() ? static_cast<ofi::Transport&>(faulty) : transport, buffers,
                  self, processes, seed) {}
    ofi::FrameBuffers buffers;
    FakeNetwork::Transport transport;
    ofi::FaultyTransport faulty;
    NumberGateway gateway;
  };

  bool is_complete(std::uint32_t count) {
    for (unsigned p = 0; p < size(); ++p)
      for (unsigned from = 0; from < size(); ++from)
        if (from != p && gateway(p).received(from).size() < count) return false;
    return true;
  }
  bool is_at_rest() {
    for (unsigned p = 0; p < size(); ++p) {
      if (processes_[p]->transport.receiving() != processes_[p]->buffers.inward().size())
        return false;
      for (unsigned peer = 0; peer < size(); ++peer)
        if (peer != p && !gateway(p).owes_nothing(peer)) return false;
    }
    return network_.is_empty();
  }

  FakeNetwork network_;
  Random random_;
  std::uint64_t window_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace toroid::testing
