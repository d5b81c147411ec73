#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/failures.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/devices_and_rings.hpp"
#include "router/shm/shared_device_state.hpp"
#include "router/shm/torus/boundary_links.hpp"
#include "router/shm/torus/failure_timeline.hpp"
#include "router/shm/torus/link.hpp"
#include "router/shm/torus/torus_device.hpp"

namespace toroid::ring {
namespace {

/// Maximum number of packets per channel by default. Rings are deeper than the hardware's buffers
/// because a packet waits longer here: the receiver looks at it only when its worker's round gets
/// there, and while the worker computes, a plane of a large transform may arrive. Still deeper
/// rings gain nothing.
constexpr std::size_t kDeepestChannel = 2048;
/// Maximum memory of all these rings together, in bytes, so that they fit in a part of a
/// third-level cache.
constexpr std::size_t kChannelBytes = std::size_t{16} << 20;

std::size_t links_per_node(const Shape& shape) {
  std::size_t links = 0;
  for (unsigned d = 0; d < shape.dims(); ++d) links += shape.extent(d) > 1 ? 2 : 0;
  return links;
}

ChannelSlots capacity_of(const Shape& shape, const Machine& machine) {
  const std::size_t rings =
      std::max<std::size_t>(1, shape.size() * links_per_node(shape) * kVirtualChannels);
  const std::size_t affordable =
      std::min(kDeepestChannel, kChannelBytes / (rings * sizeof(Packet)));
  const std::size_t least = machine.ring_slots > 0 ? machine.ring_slots : affordable;
  ChannelSlots slots{};
  for (unsigned c = 0; c < kVirtualChannels; ++c) {
    const unsigned chunks = machine.channel_chunks(static_cast<VirtualChannel>(c));
    const std::size_t packets = std::max<std::size_t>(chunks / kMaxChunks, least);
    if (packets < 1 || packets * kMaxChunks > UINT16_MAX)  // tokens are counted in chunks
      throw BadInput(fmt::format("a channel buffer of {} packets; shm and ofi support 1 to {}",
                                 packets, UINT16_MAX / kMaxChunks));
    slots[c] = static_cast<std::uint16_t>(packets);
  }
  return slots;
}

/// Minimum number of slots per channel of a link to another process. Many are needed because the
/// round trip is long: a slot is free again only when the count of popped packets has come back.
constexpr std::uint16_t kBoundarySlots = 64;

ChannelSlots at_boundary(ChannelSlots slots) {
  for (std::uint16_t& channel : slots) channel = std::max(channel, kBoundarySlots);
  return slots;
}

class TorusTopology final : public DevicesAndRings {
 public:
  TorusTopology(const SharedDeviceState& shared, RoutingOptions options, BoundaryLinks* boundary)
      : shared_(shared),
        boundary_(boundary),
        errors_(options.link_errors),
        seed_(options.link_seed),
        rates_(link_error_rates(shared.shape, errors_)),
        capacity_(capacity_of(shared.shape, shared.machine)),
        mailboxes_(shared.local.size()),
        leaving_(shared.local.size()),
        stages_(shared.shape) {
    for (const Rank node : local().nodes()) connect(node);
    for (const Rank node : local().nodes())
      devices_.emplace_back(shared, node, options, mailbox(node), outward_of(node),
                            stages_.may_change() ? &stages_ : nullptr);
  }

  TorusDevice& device(Rank rank) override { return devices_[local().index(rank)]; }
  void allocate(Rank rank) override {
    for (LinkMemory& link : mailbox(rank).inward) {
      link.allocate();
      if (link.check != nullptr) link.check->allocate(link.capacity);
    }
    for (LeavingLink* link : leaving_[local().index(rank)]) link->memory.allocate();
  }
  std::vector<LinkHealth> health() const override {
    std::vector<LinkHealth> health;
    if (!errors_.are_checked()) return health;
    health.resize(rates_.size());
    for (const auto& [number, link] : checks_at_) health[number] = link->health();
    return health;
  }
  std::optional<Tick> next_failure() const override { return stages_.next(); }
  void pass(Tick time) override {
    if (stages_.may_change()) stages_.pass(time);
  }
  void add_losses(FabricCounters& counters) const override {
    counters.deaths = stages_.deaths();
    for (const TorusDevice& device : devices_)
      for (const auto& [destination, packets] : device.losses())
        counters.lost.push_back({device.rank(), destination, packets});
  }
  unsigned inputs() const override { return devices_.front().inputs(); }
  std::optional<RoutedPacket> head(Rank node, Input input) const override {
    if (!local().has(node)) return std::nullopt;
    return devices_[local().index(node)].head(input);
  }

 private:
  const LocalNodes& local() const { return shared_.local; }
  const Shape& shape() const { return shared_.shape; }
  Mailbox& mailbox(Rank node) { return mailboxes_[local().index(node)]; }

  /// Sets up the links that end at `node`. For a missing link, both words are the node's own and
  /// never change.
  void connect(Rank node) {
    Mailbox& box = mailbox(node);
    for (unsigned l = 0; l < shape().links(); ++l) {
      const Direction travelling{static_cast<std::uint8_t>(l)};
      const Rank upstream = shape().neighbour(node, travelling.opposite()).value_or(node);
      box.inward[l].pushed = &box.pushed.word[l];
      if (!local().has(upstream)) {
        add_arriving(upstream, node, travelling);
        continue;
      }
      box.inward[l].popped = &mailbox(upstream).popped.word[l];
      if (!shape().neighbour(node, travelling.opposite())) continue;
      box.inward[l].capacity = capacity_;
      if (errors_.are_checked()) box.inward[l].check = &add_check(upstream, l);
    }
  }

  RetransmittingLink& add_check(Rank upstream, unsigned l) {
    const std::size_t number = std::size_t{upstream} * shape().links() + l;
    const LinkFaultDraw draw(errors_, rates_[number], seed_, number);
    checks_at_[number] = &checks_.emplace_back(draw, mix64(seed_ + number));
    return checks_.back();
  }

  void add_arriving(Rank from, Rank to, Direction travelling) {
    LinkMemory& memory = mailbox(to).inward[travelling.index];
    ArrivingLink& link = boundary_->arriving.emplace_back(from, to, travelling, &memory);
    memory.popped = &link.popped;
    memory.capacity = at_boundary(capacity_);
  }

  LinkMemory& add_leaving(Rank from, Rank to, Direction travelling) {
    LeavingLink& link = boundary_->leaving.emplace_back(to, travelling);
    link.memory.pushed = &link.pushed;
    link.memory.popped = &mailbox(from).popped.word[travelling.index];
    link.memory.capacity = at_boundary(capacity_);
    leaving_[local().index(from)].push_back(&link);
    return link.memory;
  }

  std::vector<const LinkMemory*> outward_of(Rank node) {
    std::vector<const LinkMemory*> links;
    for (unsigned l = 0; l < shape().links(); ++l) {
      const Direction travelling{static_cast<std::uint8_t>(l)};
      const Rank downstream = shape().neighbour(node, travelling).value_or(node);
      links.push_back(local().has(downstream) ? &mailbox(downstream).inward[l]
                                              : &add_leaving(node, downstream, travelling));
    }
    return links;
  }

  const SharedDeviceState& shared_;
  BoundaryLinks* boundary_;
  LinkErrors errors_;
  std::uint64_t seed_;         ///< seed of the links' faults
  std::vector<double> rates_;  ///< [rank · links + direction]
  std::deque<RetransmittingLink> checks_;
  std::map<std::size_t, const RetransmittingLink*> checks_at_;  ///< by rank · links + direction
  ChannelSlots capacity_;                                       ///< for links within the process
  // [index among the local nodes]
  std::vector<Mailbox> mailboxes_;
  std::vector<std::vector<LeavingLink*>> leaving_;
  FailureTimeline stages_;
  std::deque<TorusDevice> devices_;
};

}  // namespace

double torus_bytes(const Shape& shape, const Machine& machine) {
  double packets = 0;
  for (const std::uint16_t slots : capacity_of(shape, machine)) packets += slots;
  return packets * sizeof(Packet) * static_cast<double>(links_per_node(shape)) * shape.size();
}

std::unique_ptr<DevicesAndRings> make_torus_topology(const SharedDeviceState& shared,
                                                     RoutingOptions options,
                                                     BoundaryLinks* boundary) {
  const unsigned inputs = shared.shape.links() * kVirtualChannels + shared.machine.injection_fifos +
                          shared.machine.priority_injection_fifos;
  if (inputs > 64)  // each input is a bit in a 64-bit word
    throw BadInput(fmt::format(
        "{} channels and injection FIFOs per node; shm and ofi support at most 64", inputs));
  const Failures* const failures = shared.shape.failures();
  if (options.link_errors.limit != 0) throw BadInput("--link-error-limit works on sim only");
  if (boundary != nullptr && failures != nullptr && failures->may_change())
    throw BadInput("links and nodes can fail during a run on sim and shm only");
  return std::make_unique<TorusTopology>(shared, options, boundary);
}

}  // namespace toroid::ring
