// The functions that make the built-in policies, and base classes for these.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hal/send_order.hpp"
#include "packet/policies/policy.hpp"

namespace toroid::policies {

using PolicyPointer = std::unique_ptr<const Policy>;

/// Name, source and known result of a policy, for classes that derive from it.
class NamedPolicy : public Policy {
 public:
  NamedPolicy(std::string name, std::string_view source, std::string_view known_result)
      : name_(std::move(name)), source_(source), known_result_(known_result) {}
  std::string_view name() const final { return name_; }
  std::string_view source() const final { return source_; }
  std::string_view known_result() const final { return known_result_; }

 private:
  std::string name_;
  std::string_view source_;
  std::string_view known_result_;
};

/// Base class of policies with the patent's order, which is random and private to each node. Most
/// policies have this order and vary something else.
class RandomOrderPolicy : public NamedPolicy {
 public:
  using NamedPolicy::NamedPolicy;
  SendOrder order(const Visitor& visitor) const override;
};

// The argument is the number after the colon of a policy's name; policies without a parameter
// ignore it.
PolicyPointer random_policy(unsigned);
PolicyPointer same_seed_policy(unsigned);
PolicyPointer rank_policy(unsigned);
PolicyPointer shift_policy(unsigned);
PolicyPointer xor_policy(unsigned);
PolicyPointer random_rounds_policy(unsigned);
PolicyPointer farthest_first_policy(unsigned);
PolicyPointer two_phase_policy(unsigned);
PolicyPointer valiant_policy(unsigned);
PolicyPointer three_phase_policy(unsigned);
PolicyPointer virtual_mesh_policy(unsigned rows);
PolicyPointer bruck_policy(unsigned radix);
PolicyPointer throttled_policy(unsigned percent);
PolicyPointer windowed_policy(unsigned packets);
PolicyPointer queues_policy(unsigned queues);
PolicyPointer queue_per_peer_policy(unsigned);
PolicyPointer queue_per_direction_policy(unsigned);
PolicyPointer first_fit_policy(unsigned);
PolicyPointer round_robin_policy(unsigned);
PolicyPointer any_fifo_policy(unsigned);
PolicyPointer fifo_per_dimension_policy(unsigned);
PolicyPointer deterministic_policy(unsigned);
PolicyPointer random_dimensions_policy(unsigned);

}  // namespace toroid::policies
