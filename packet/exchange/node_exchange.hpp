// One node's part in an exchange under a policy that sends packet by packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hal/fill.hpp"
#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/exchange/exchange_part.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/inline_payloads.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

class NodeExchange final : public ExchangePart, public Outgoing, private PayloadSource {
 public:
  NodeExchange(Node& node, const ExchangeCase& exchange);

  Program program() override;
  Arrivals expected() const override { return case_->expected(node().rank()); }

  void start();
  bool is_throttled() const { return case_->settings().throttle.cycles_per_packet > 0; }
  bool queued() const { return fill_.done(); }
  /// When a throttled node has to look again; later than now.
  Tick next_look() const;
  const Counter& received() const { return received_; }
  /// Packets that reach this node; 0 of a sample, where nobody knows.
  std::uint64_t packets_expected() const { return packets_expected_; }

  /// What the program waits for when all of its own has been sent.
  std::string waits_for() const;

  /// True too while the window is closed: who opens it posts this again.
  bool fill(OutputQueues& queues) override;

 private:
  class Sink;
  struct Leg {
    unsigned stage;
    Rank end;
  };
  /// Sends an envelope that lies in a descriptor's cookie.
  class EnvelopeSource final : public PayloadSource {
   public:
    std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t,
                         std::span<std::byte, kPayloadBytes> payload) override;
  };

  std::optional<SendDescriptor> describe(Rank to, std::uint32_t first, std::uint32_t limit);
  std::uint32_t gather(const SendDescriptor& descriptor, std::uint32_t number,
                       std::span<std::byte, kPayloadBytes> payload) override;
  Leg leg(unsigned stage, std::uint32_t id, Rank to) const;
  void hold_back(std::uint32_t packets);
  void arrive(const Packet& packet);
  void forward(const Packet& packet, const Envelope& envelope);
  void keep_payload(SendDescriptor& descriptor, const Packet& packet, const Envelope& envelope);
  void deliver(const Packet& packet, std::uint32_t id);
  void acknowledge(Rank origin);
  void acknowledged();
  bool window_is_closed() const {
    const std::uint32_t window = case_->settings().throttle.window;
    return window > 0 && outstanding_ >= window;
  }

  Fill fill_;
  EnvelopeSource envelopes_;
  InlinePayloads forwarded_payloads_;
  double due_ = 0;                 ///< when a throttled node may send its next packet
  std::uint32_t outstanding_ = 0;  ///< packets sent and not acknowledged, where there is a window
  bool waits_for_window_ = false;
  unsigned stage_ = 0;  ///< of the packet that was described last
  std::uint64_t packets_expected_;
  Counter received_;
};

}  // namespace toroid
