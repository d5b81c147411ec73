// A gateway that sends streams of numbers, which reveal protocol errors at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/transport.hpp"
#include "tests/router/ofi/simulation/scenario.hpp"

namespace toroid::simulation {

/// Flow identities with the tokens that holders of the key would compute.
std::vector<ofi::FlowIdentity> identities_of(unsigned self, unsigned processes);

/// Sends every other process the numbers 0, 1, 2, ..., in packets and packed parts. The content is
/// computed from the number. Like a link of the torus, it never sends more numbers than the
/// receiver has given credits for. Some numbers make their receiver send numbers as well.
///
/// **Checked when a frame is delivered:** numbers arrive in order, each once, with their content;
/// credits grow, but never beyond the numbers sent. **Checked when a frame is released**, late and
/// in any order: its content has not changed.
class StreamGateway final : public ofi::Gateway {
 public:
  StreamGateway(ofi::Transport& transport, ofi::FrameBuffers& buffers, unsigned self,
                const Scenario& scenario, std::uint64_t seed);

  /// Sends some of the owed numbers, as far as there is room.
  void produce();
  /// Releases frames quickly from now on.
  void hurry() { slow_release_ = 1; }
  /// Sends no more numbers to `peer`.
  void forget(unsigned peer);

  bool owes_nothing(unsigned peer) const { return streams_[peer].owed == 0; }
  bool is_passive() const;
  /// Whether nothing is in flight to or from the peer, and everything is acknowledged.
  bool is_at_rest(unsigned peer);
  std::uint64_t injected() const { return injected_; }
  std::uint64_t delivered() const { return delivered_; }
  /// Count of numbers sent to a peer, and received from it.
  std::uint32_t sent(unsigned peer) const { return streams_[peer].sent; }
  std::uint32_t received(unsigned peer) const { return streams_[peer].received; }
  std::uint64_t frames_released(unsigned peer) const { return streams_[peer].frames_released; }
  std::size_t frames_held() const { return held_.size(); }
  /// Count of numbers whose content was damaged although their frame was accepted.
  std::uint64_t damaged(unsigned peer) const { return streams_[peer].damaged; }
  std::uint64_t in_flight(unsigned peer) { return out(peer).in_flight(); }

  ofi::Outflow& outflow(unsigned peer) { return out(peer); }
  const ofi::Inflow& inflow(unsigned peer) const { return in(peer); }

 private:
  struct Stream {
    std::uint32_t owed = 0;  ///< numbers to be sent
    std::uint32_t sent = 0;
    std::uint32_t credit = 0;  ///< sent numbers that the peer has released
    std::uint32_t received = 0;
    std::uint32_t done = 0;      ///< received numbers that have been released, in any order
    std::uint32_t credited = 0;  ///< released numbers of which the peer has been told
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
  std::uint32_t reactions_;      ///< calls of react() left
  unsigned forgotten_ = ~0u;     ///< the process to which no more numbers go
  std::vector<Stream> streams_;  ///< [process]
  std::vector<ofi::ReceivedFrame*> held_;
  std::uint64_t injected_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace toroid::simulation
