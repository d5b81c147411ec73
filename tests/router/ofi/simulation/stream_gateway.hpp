// A gateway whose streams of numbers tell at once what a protocol does wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "router/ofi/buffers.hpp"
#include "router/ofi/flow.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/transport.hpp"
#include "tests/router/ofi/simulation/scenario.hpp"

namespace toroid::simulation {

/// What holders of the key compute.
std::vector<ofi::FlowIdentity> identities_of(unsigned self, unsigned processes);

/// Sends every other process the numbers 0, 1, 2, ..., in packets and in packed parts, whose
/// content follows from the number, and no more than the receiver has given credits for, as a link
/// of the torus does. Some numbers make their receiver send one of its own.
///
/// **Checked when a frame is delivered:** numbers come in order, each once, with their content;
/// credits grow, and not beyond what was sent. **Checked when it is released**, late and in any
/// order: its content is still there.
class StreamGateway final : public ofi::Gateway {
 public:
  StreamGateway(ofi::Transport& transport, ofi::Buffers& buffers, unsigned self,
                const Scenario& scenario, std::uint64_t seed);

  /// Sends some of what it owes, as far as there is room.
  void produce();
  /// No more late releases.
  void hurry() { slow_release_ = 1; }
  /// Owes `peer` nothing any more.
  void forget(unsigned peer);

  bool owes_nothing(unsigned peer) const { return streams_[peer].owed == 0; }
  bool is_passive() const;
  /// Nothing is under way to or from the peer, and everything is said.
  bool is_at_rest(unsigned peer);
  std::uint64_t injected() const { return injected_; }
  std::uint64_t delivered() const { return delivered_; }
  /// Numbers sent to a peer; numbers that came from it.
  std::uint32_t sent(unsigned peer) const { return streams_[peer].sent; }
  std::uint32_t received(unsigned peer) const { return streams_[peer].received; }
  std::uint64_t frames_released(unsigned peer) const { return streams_[peer].frames_released; }
  std::size_t frames_held() const { return held_.size(); }
  /// Numbers whose content was damaged though their frame was accepted.
  std::uint64_t damaged(unsigned peer) const { return streams_[peer].damaged; }
  std::uint64_t in_flight(unsigned peer) { return out(peer).in_flight(); }

  ofi::Outflow& outflow(unsigned peer) { return out(peer); }
  const ofi::Inflow& inflow(unsigned peer) const { return in(peer); }

 private:
  static constexpr std::uint32_t kMostPart = 300;

  struct Stream {
    std::uint32_t owed = 0;  ///< numbers to be sent
    std::uint32_t sent = 0;
    std::uint32_t credit = 0;  ///< numbers that the peer has done with
    std::uint32_t received = 0;
    std::uint32_t done = 0;      ///< with so many of its numbers, in any order
    std::uint32_t credited = 0;  ///< of these, those that the peer knows of
    std::uint64_t frames_released = 0;
    std::uint64_t damaged = 0;
  };

  bool is_valid(unsigned, const ofi::PacketRun& run, const PacketHeader&) const override {
    return run.target == self_;
  }
  bool is_valid_part(unsigned, const ofi::PacketRun& run, const ofi::PartHeader&) const override {
    return run.target == self_;
  }
  void deliver(ofi::ReceivedFrame& frame) override;
  bool progress() override;
  bool send_credits();

  bool try_send(unsigned peer);
  bool try_send_packet(unsigned peer, std::uint32_t number);
  bool try_send_part(unsigned peer, std::uint32_t number);
  void take(unsigned from, std::uint32_t number, std::span<const std::byte> content, bool is_part);
  void react(unsigned from);
  void take_credit(unsigned from, const ofi::LinkCredit& credit);
  std::uint32_t check_content(const ofi::ReceivedFrame& frame, bool is_new);

  unsigned self_;
  Random random_;
  bool may_be_damaged_;
  std::uint32_t ring_;
  std::uint32_t slow_release_;
  std::uint32_t reactions_;      ///< that it may still have
  unsigned forgotten_ = ~0u;     ///< process
  std::vector<Stream> streams_;  ///< [process]
  std::vector<ofi::ReceivedFrame*> held_;
  std::uint64_t injected_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace toroid::simulation
