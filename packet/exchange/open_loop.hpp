// Open loop: nodes generate messages at a given rate, whether the network keeps up or not. It
// measures latency as a function of the offered load, and the load at which the network is
// saturated.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hal/output_queues.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/send_descriptor.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/exchange/latency.hpp"
#include "packet/node/attachment.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// The distribution of the times at which a node generates messages, at a given mean rate.
enum class ArrivalRule : std::uint8_t {
  bernoulli,  ///< in every cycle with the same probability
  fixed,      ///< at equal intervals, with a random phase per node
};
inline constexpr std::array<std::string_view, 2> kArrivalRuleNames = {"bernoulli", "fixed"};

/// The three periods of a run, in cycles. Messages are generated in all three; only the window is
/// measured.
struct OpenLoopPeriods {
  Tick warm_up = 0;
  Tick window = 0;
  Tick cool_down = 0;  ///< keeps the network loaded for the last measured packets

  Tick end() const { return warm_up + window + cool_down; }
  bool measures(Tick at) const { return at >= warm_up && at < warm_up + window; }
};

/// The cycles in which a node generates messages, ascending; several messages may share a cycle.
class ArrivalTimes {
 public:
  /// REQUIRES: 0 <= per_cycle <= 1.
  ArrivalTimes(ArrivalRule arrivals, double per_cycle, Random random);
  /// REQUIRES: per_cycle > 0.
  Tick next();

 private:
  Tick gap();

  ArrivalRule arrivals_;
  double per_cycle_;
  Random random_;
  double phase_;  ///< for fixed intervals: the number of the next interval plus a random phase
  Tick last_ = 0;
};

/// The messages that have not arrived completely. Packets carry the number of their message.
class OpenMessages {
 public:
  struct Message {
    std::uint32_t generated;  ///< the low half of the cycle
    Rank from;
    std::uint64_t packets;  ///< that have not arrived
  };

  std::uint32_t add(const Message& message);
  /// Returns the message of a packet that has arrived, and forgets it if this was its last packet.
  Message arrive(std::uint32_t number);

 private:
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;  ///< numbers to use again
};

/// Numbers of packets, summed over all nodes of a run. There is no lock, so all nodes must run on
/// one thread.
struct OpenLoopCounts {
  std::uint64_t generated = 0;  ///< in the window
  std::uint64_t accepted = 0;   ///< packets received in the window, whenever they were generated
  /// The accepted packets by their source times the number of nodes, plus their destination.
  std::unordered_map<std::uint64_t, std::uint64_t> accepted_pairs;
  std::uint64_t all_generated = 0;
  std::uint64_t all_received = 0;
  OpenMessages messages;
  FineLatencyHistogram latency;  ///< of packets generated in the window, from generation to
                                 ///< reception, including the wait in the node's memory
};

struct OpenLoopOptions {
  std::uint64_t bytes = 240;  ///< payload bytes per message
  double per_cycle = 0;       ///< messages of this node per cycle; 0 if it only receives
  ArrivalRule arrivals = ArrivalRule::bernoulli;
  OpenLoopPeriods periods;
};

/// One node's part in an open loop. Packets carry no payload; their argument is the number of their
/// message. Needs virtual time.
class OpenLoop final : public Outgoing {
 public:
  /// `traffic` gives the destinations; it and `counts` must outlive this. Construct it before the
  /// program's first await.
  OpenLoop(Node& node, HandlerId handler, const Traffic& traffic, const OpenLoopOptions& options,
           OpenLoopCounts& counts);

  /// Generates messages at their times until the end of the periods. Messages that still wait at
  /// the end of the periods leave afterwards.
  static Program program(Node& node, OpenLoop& loop);

  bool fill(OutputQueues& queues) override;

 private:
  struct Message {
    std::uint32_t number;
    Rank to;
    std::uint64_t sent = 0;  ///< payload bytes that have been queued
  };

  void generate(Tick at);
  void arrive(const Packet& packet);
  SendDescriptor next_packet(Message& message) const;

  Node* node_;
  HandlerId handler_;
  const Traffic* traffic_;
  OpenLoopOptions options_;
  OpenLoopCounts* counts_;
  ArrivalTimes times_;
  Random destinations_;
  std::deque<Message> waiting_;
  Attachment attachment_;
};

}  // namespace toroid
