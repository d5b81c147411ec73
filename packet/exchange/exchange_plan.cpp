#include "packet/exchange/exchange_plan.hpp"

#include <fmt/core.h>

#include <bit>
#include <vector>

#include "hal/failures.hpp"
#include "packet/exchange/combining_plan.hpp"

namespace toroid {

namespace {

BadInput unfit(const Policy& policy, const std::string& why) {
  return BadInput(fmt::format("policy {}: {}", policy.name(), why));
}

/// Throws BadInput if settings are out of range or exclude each other.
void check_settings(const Policy& policy, const PolicySettings& settings, const Shape& shape) {
  if (const std::string fault = fault_of(settings, shape.size()); !fault.empty())
    throw unfit(policy, fault);
  if (settings.queue_per_direction && settings.output_queues != 1)
    throw unfit(policy, fmt::format("it has a queue per direction and cannot have {} output queues",
                                    settings.output_queues));
}

RunFailed leads_nowhere(const Policy& policy, const std::string& from, Rank to,
                        const Shape& shape) {
  return RunFailed(
      fmt::format("policy {}: relay() leads from {} to a node that does not exist (rank {}, "
                  "expected 0 to {})",
                  policy.name(), from, to, shape.size() - 1));
}

bool needs_rounds(const Policy& policy, const PolicySettings& settings, const Shape& shape) {
  return policy.changes_order() || settings.throttle.cycles_per_packet > 0 ||
         relays_or_combines(policy, shape);
}

}  // namespace

unsigned stages_of(const Policy& policy, const Shape& shape) {
  const unsigned stages = policy.stages(shape);
  if (stages == 0 || stages > 255)
    throw unfit(policy, fmt::format("stages() is {}, expected 1 to 255", stages));
  return stages;
}

Rank relay_of(const Policy& policy, const Shape& shape, const Waypoint& packet) {
  const Rank next = policy.relay(shape, packet);
  if (next >= shape.size()) throw leads_nowhere(policy, shape.coord_text(packet.here), next, shape);
  return next;
}

bool relays_or_combines(const Policy& policy, const Shape& shape) {
  return policy.combines() || stages_of(policy, shape) > 1;
}

std::string cannot_be_put(const Policy& policy) {
  return fmt::format("policy {} sends by way of other nodes, so its messages cannot be put",
                     policy.name());
}

TransferMode transfer_under(const Policy& policy, const Shape& shape, TransferMode asked) {
  const bool is_open = asked == TransferMode::automatic;
  return is_open && relays_or_combines(policy, shape) ? TransferMode::packets : asked;
}

PolicySettings settings_of(const Policy& policy, const SettingChanges& changes,
                           std::uint32_t packets_per_visit, const PolicyCase& policy_case) {
  PolicySettings settings = changes.applied_to(policy.settings(policy_case));
  check_settings(policy, settings, policy_case.shape);
  const auto& [shape, machine, traffic] = policy_case;
  settings.tie = tie_rule_of(settings, machine);
  if (const auto fault = settings.tying.fault(shape, machine.injection_fifos); !fault.empty())
    throw unfit(policy, fault);
  if (settings.routing == RoutingRule::priority && machine.priority_injection_fifos == 0)
    throw unfit(policy, fmt::format("routing priority needs injection FIFOs of high priority "
                                    "(priority_injection_fifos), which machine '{}' lacks",
                                    machine.name));
  if (settings.packets_per_visit == 0) {
    const bool whole = packets_per_visit > kCarriedPacketsPerVisit;
    settings.packets_per_visit = whole && needs_rounds(policy, settings, policy_case.shape)
                                     ? kCarriedPacketsPerVisit
                                     : packets_per_visit;
  }
  return settings;
}

ExchangePlan::ExchangePlan(const Policy& policy, const Shape& machine, const Shape& shape,
                           const PolicySettings& settings, ExchangeFormat format)
    : policy_(&policy),
      machine_(machine),
      shape_(shape),
      settings_(settings),
      format_(std::move(format)),
      counter_name_("packets of " + format_.name),
      stages_(stages_of(policy, shape)),
      has_releases_(policy.has_releases()),
      number_bits_(32 - static_cast<unsigned>(std::bit_width(shape.size() - 1))) {
  TOROID_CHECK_LT(0u, settings_.packets_per_visit);
  check_settings(policy, settings_, shape_);
  check_machine();
  if (combines()) check_combines();
  label_ = !format_.payload || relays()                     ? PacketLabel::envelope
           : format_.places && !has_window() && !combines() ? PacketLabel::place
                                                            : PacketLabel::number;
}

ExchangePlan::~ExchangePlan() = default;

BadInput ExchangePlan::unfit(const std::string& why) const {
  return toroid::unfit(*policy_, why);
}

void ExchangePlan::check_combines() const {
  if (is_sample()) throw unfit("it combines messages, so nodes cannot send to a sample only");
  if (has_window() || is_throttled()) throw unfit("it combines messages and cannot be throttled");
  if (has_releases()) throw unfit("it combines messages, which cannot have release times");
}

/// Refuses policies that send by way of other nodes if some nodes are dead. Relays are not known in
/// advance, and a dead node might be among them.
void ExchangePlan::check_machine() const {
  const Failures* failures = shape_.failures();
  if (failures == nullptr || failures->living() == shape_.size()) return;
  if (stages_ > 1 || combines())
    throw unfit("it sends by way of other nodes, and some nodes of this machine are dead");
}

void ExchangePlan::check_packets(std::uint64_t packets) const {
  if (label_ == PacketLabel::place || combines()) return;
  if (const std::uint64_t numbers = std::uint64_t{1} << number_bits_; packets > numbers)
    throw BadInput(
        fmt::format("messages of {} packets between {} nodes are too long: "
                    "at most {} packets of a message can be numbered",
                    packets, shape_.size(), numbers));
}

SendOrder ExchangePlan::order(const Visitor& visitor) const {
  if (shape_.size() == 1) return SendOrder(std::vector<Rank>{});
  if (settings_.order)
    return {*settings_.order, visitor.self, shape_.size(), visitor.private_seed()};
  SendOrder order = policy_->order(visitor);
  if (visitor.round > 0 && policy_->changes_order()) check_permutation(visitor, order);
  return order;
}

std::string ExchangePlan::coord_text(Rank member, Rank identity) const {
  const Coord in_group = shape_.coord(member);
  Coord coord = machine_.coord(identity);
  for (unsigned d = 0; d < machine_.dims(); ++d)
    if (shape_.extent(d) > 1) coord[d] = in_group[d];
  return machine_.coord_text(machine_.rank(coord));
}

void ExchangePlan::refuse_order(Rank identity, const std::string& why) const {
  throw RunFailed(fmt::format("policy {}: order() of {} {} in {}", policy_->name(),
                              machine_.coord_text(identity), why, format_.name));
}

void ExchangePlan::check_order(const Visitor& visitor) const {
  check_permutation(visitor, order(visitor));
}

void ExchangePlan::check_permutation(const Visitor& visitor, const SendOrder& order) const {
  const Rank identity = visitor.identity;
  if (!order.is_list() && shape_.size() > SendOrder::kStoredPeers) {
    if (order.size() < shape_.size()) return;
    refuse_order(identity, fmt::format("makes {} visits, expected at most {}", order.size(),
                                       shape_.size() - 1));
  }
  std::vector<bool> visited(shape_.size(), false);
  for (const Rank to : order) {
    check_visit(visitor.self, identity, to);
    if (visited[to])
      refuse_order(identity, fmt::format("visits {} twice", coord_text(to, identity)));
    visited[to] = true;
  }
  for (Rank to = 0; to < shape_.size(); ++to)
    if (!visited[to] && to != visitor.self && shape_.is_alive(to))
      refuse_order(identity, fmt::format("leaves out {}", coord_text(to, identity)));
}

void ExchangePlan::refuse_visit(Rank identity, Rank to, Rank self) const {
  if (to == self) refuse_order(identity, "visits itself");
  refuse_order(identity,
               fmt::format("visits a node that does not exist (rank {}, expected 0 to {})", to,
                           shape_.size() - 1));
}

Rank ExchangePlan::relay(const Waypoint& packet, Rank identity) const {
  if (packet.stage + 1 == stages_) return packet.to;
  const Rank next = policy_->relay(shape_, packet);
  if (next >= shape_.size())
    throw leads_nowhere(*policy_, machine_.coord_text(identity), next, shape_);
  return next;
}

Tick ExchangePlan::release(Rank self, Rank identity, Rank to) const {
  TOROID_CHECK(has_releases_);
  check_visit(self, identity, to);
  const Tick when = policy_->release(shape_, self, to);
  if (when <= kLastRelease) return when;
  throw RunFailed(fmt::format("policy {}: release() of {} for {} is cycle {}, expected 0 to {}",
                              policy_->name(), machine_.coord_text(identity),
                              coord_text(to, identity), when, kLastRelease));
}

const CombiningPlan& ExchangePlan::combining(
    Rank group, std::uint64_t number,
    const std::function<std::unique_ptr<const Traffic>()>& traffic) const {
  TOROID_CHECK(combines());
  const std::lock_guard lock(mutex_);
  auto& plan = combining_[{group, number}];
  if (!plan) plan = std::make_unique<const CombiningPlan>(*this, *traffic());
  return *plan;
}

}  // namespace toroid
