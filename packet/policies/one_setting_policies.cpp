// Policies that have the patent's order and change one setting.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/builders.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic_bounds.hpp"

namespace toroid::policies {
namespace {

std::uint64_t packets_of(const PolicyCase& c, Rank from) {
  std::uint64_t sum = 0;
  for (const Rank to : c.traffic.targets(from)) sum += packets_for(c.traffic.bytes(from, to));
  return sum;
}

/// Number of packets that the busiest sender sends.
std::uint64_t packets_of_busiest(const PolicyCase& c) {
  if (c.traffic.is_uniform_all_to_all())
    return (c.shape.size() - 1) * packets_for(c.traffic.message_bytes().value());
  std::uint64_t most = 0;
  for (Rank from = 0; from < c.shape.size(); ++from) most = std::max(most, packets_of(c, from));
  return most;
}

class Throttled final : public RandomOrderPolicy {
 public:
  explicit Throttled(unsigned percent)
      : RandomOrderPolicy(fmt::format("throttled:{}", percent),
                          "injection at a share of the rate that the hottest link allows",
                          "at 100 the network stays below saturation and queues stay short"),
        percent_(percent) {}
  PolicySettings settings(const PolicyCase& c) const override {
    PolicySettings settings;
    const std::uint64_t packets = packets_of_busiest(c);
    if (packets == 0) return settings;
    const Tick bound = traffic_bounds(c.machine, c.shape, c.traffic).hottest_link;
    settings.throttle.cycles_per_packet =
        static_cast<double>(bound) * 100 / (static_cast<double>(packets) * percent_);
    return settings;
  }

 private:
  unsigned percent_;
};

class Windowed final : public RandomOrderPolicy {
 public:
  explicit Windowed(unsigned packets)
      : RandomOrderPolicy(fmt::format("windowed:{}", packets),
                          "end-to-end window; a packet of 32 bytes acknowledges each that arrives",
                          "short queues, but acknowledgements cost link and processor time"),
        packets_(packets) {}
  PolicySettings settings(const PolicyCase&) const override {
    PolicySettings settings;
    settings.throttle.window = packets_;
    return settings;
  }

 private:
  unsigned packets_;
};

constexpr std::string_view kOutputQueues =
    "U.S. Pat. 7,315,877 (2008), FIG. 9: L output queues, each destination always in the same one";

class Queues final : public RandomOrderPolicy {
 public:
  explicit Queues(unsigned queues)
      : RandomOrderPolicy(fmt::format("queues:{}", queues), kOutputQueues,
                          "packets pass a stuck head, yet queues:6 reaches 82 % of peak on 8x4x4 "
                          "with 2,400 B, random 96 %; on 8x8x8 they differ by less than seeds do"),
        queues_(queues) {}
  PolicySettings settings(const PolicyCase&) const override { return {.output_queues = queues_}; }

 private:
  unsigned queues_;
};

/// A queue holds the packets of one visit. Drain takes packets from a queue as long as they find
/// room, so from a longer queue it would send the packets of several visits to a peer in a row.
class QueuePerPeer final : public RandomOrderPolicy {
 public:
  QueuePerPeer()
      : RandomOrderPolicy(
            "queue-per-peer", kOutputQueues,
            "no packet waits behind a packet to another peer, but the random map no longer "
            "decides which peer is next") {}
  PolicySettings settings(const PolicyCase& c) const override {
    return {.output_queues = std::max<Rank>(c.shape.size(), 2) - 1, .queue_capacity = 1};
  }
};

class Knobs final : public RandomOrderPolicy {
 public:
  Knobs(PolicySettings settings, std::string name, std::string_view source, std::string_view known)
      : RandomOrderPolicy(std::move(name), source, known), settings_(settings) {}
  PolicySettings settings(const PolicyCase&) const override { return settings_; }

 private:
  PolicySettings settings_;
};

constexpr std::string_view kTyings =
    "one of the four uses of injection FIFOs on the Blue Gene/L; the order is the patent's";

}  // namespace

PolicyPointer throttled_policy(unsigned percent) {
  return std::make_unique<Throttled>(percent);
}
PolicyPointer windowed_policy(unsigned packets) {
  return std::make_unique<Windowed>(packets);
}
PolicyPointer queues_policy(unsigned queues) {
  return std::make_unique<Queues>(queues);
}
PolicyPointer queue_per_peer_policy(unsigned) {
  return std::make_unique<QueuePerPeer>();
}
PolicyPointer queue_per_direction_policy(unsigned) {
  return std::make_unique<Knobs>(
      PolicySettings{.queue_per_direction = true, .queue_capacity = 4}, "queue-per-direction",
      "the queues of IBM's all-to-all for asymmetric tori; the order is the patent's",
      "a full direction stops only its own queue: 94 % of peak on 8x4x4 with 2,400 B, random 96 %");
}
PolicyPointer first_fit_policy(unsigned) {
  return std::make_unique<Knobs>(
      PolicySettings{.drain = DrainRule::first_fit}, "first-fit", kTyings,
      "FIFOs are tied to directions; a packet takes the first with room");
}
PolicyPointer round_robin_policy(unsigned) {
  return std::make_unique<Knobs>(PolicySettings{.drain = DrainRule::round_robin}, "round-robin",
                                 "common practice; the order is the patent's",
                                 "FIFOs are tied to directions; packets take them in turn");
}
PolicyPointer any_fifo_policy(unsigned) {
  return std::make_unique<Knobs>(
      PolicySettings{.drain = DrainRule::first_fit, .tying = FifoTying::any}, "any-fifo", kTyings,
      "a packet takes the first FIFO with room, so packets for busy links block others");
}
PolicyPointer fifo_per_dimension_policy(unsigned) {
  return std::make_unique<Knobs>(PolicySettings{.tying = FifoTying::per_dimension},
                                 "fifo-per-dimension", kTyings,
                                 "both directions of a dimension share a FIFO");
}
PolicyPointer deterministic_policy(unsigned) {
  return std::make_unique<Knobs>(PolicySettings{.routing = RoutingRule::deterministic},
                                 "deterministic", "dimension-ordered routing in the bubble network",
                                 "57 % of peak on 8x8x8 with 480 B");
}

PolicyPointer random_dimensions_policy(unsigned) {
  return std::make_unique<Knobs>(
      PolicySettings{.routing = RoutingRule::random_order}, "random-dimensions",
      "minimal routing, each packet's dimensions in a random order",
      "packets spread over the minimal ways, however full the queues are");
}

}  // namespace toroid::policies
