// One node's part in an exchange, whatever the policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/conservation.hpp"
#include "packet/exchange/exchange_case.hpp"
#include "packet/exchange/exchange_data.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"

namespace toroid {

/// What has come of it so far.
struct ExchangeOutcome {
  Arrivals arrivals;
  LatencyHistogram latency;
  Tick last_arrival = 0;
  std::uint64_t sent = 0;              ///< packets of this node's own
  std::uint64_t sent_hash = 0;         ///< sum over them of a hash of id and destination
  std::uint64_t received_hash = 0;     ///< likewise of those that have come
  std::uint64_t forwarded = 0;         ///< packets that others sent on by way of this node
  std::uint64_t acknowledgements = 0;  ///< that this node has sent
};

/// What travels in the first bytes of a payload.
struct Envelope {
  std::uint32_t id;
  std::uint32_t to_and_stage;  ///< 24 and 8 bits: the stage whose leg the packet is on
  Rank to() const { return to_and_stage & 0xffffffu; }
  unsigned stage() const { return to_and_stage >> 24; }
  static Envelope of(std::uint32_t id, Rank to, unsigned stage) { return {id, to | stage << 24}; }
};

/// Must outlive the run: a node may send on others' packets after all of its own have come.
class ExchangePart {
 public:
  ExchangePart(Node& node, const ExchangeCase& exchange);
  virtual ~ExchangePart() = default;
  ExchangePart(const ExchangePart&) = delete;

  /// What the node runs.
  virtual Program program() = 0;
  /// What reaches this node. REQUIRES: not a sample.
  virtual Arrivals expected() const = 0;

  const Node& node() const { return *node_; }
  const ExchangeOutcome& outcome() const { return outcome_; }
  /// Null where no payload travels.
  const ExchangeData* data() const { return data_ ? &*data_ : nullptr; }

 protected:
  /// A packet with so many bytes of a message. It leaves for `to`; `source` gathers it.
  SendDescriptor descriptor(Rank to, unsigned bytes, PayloadSource& source, std::uint64_t cookie);
  /// Writes the envelope, where there is one; the bytes it takes.
  std::size_t write_envelope(const Envelope& envelope, std::span<std::byte> payload) const;
  /// Of a packet of this node's: when it leaves, or where there is no envelope its id.
  std::uint32_t argument(std::uint32_t id) const;
  Envelope envelope_of(const Packet& packet) const;
  std::span<const std::byte> data_of(const Packet& packet) const;
  void note_sent(std::uint32_t id, Rank to);
  // For a recording of the run; messages from one node to another are numbered by the stage.
  void note_message(Rank to, std::uint64_t bytes, unsigned stage);
  void note_complete(unsigned stage);
  /// Of a packet at its destination.
  void note_arrival(const Packet& packet, std::uint32_t id);

  Node* node_;
  const ExchangeCase* case_;
  std::optional<ExchangeData> data_;
  ExchangeOutcome outcome_;
};

}  // namespace toroid
