#include "tools/options/library_policy.hpp"

#include <fmt/core.h>

#include <utility>

#include "tools/options/library_call.hpp"

namespace toroid {

LibraryPolicy::LibraryPolicy(std::unique_ptr<const Policy> policy, const std::string& file)
    : policy_(std::move(policy)), subject_(fmt::format("policy {}", file)) {
  const auto ask = [&](std::string_view function, const auto& question) {
    return call_library(subject_, function, question);
  };
  name_ = ask("name()", [this] { return std::string(policy_->name()); });
  subject_ = fmt::format("policy {} ({})", name_, file);
  source_ = ask("source()", [this] { return std::string(policy_->source()); });
  known_result_ = ask("known_result()", [this] { return std::string(policy_->known_result()); });
  changes_order_ = ask("changes_order()", [this] { return policy_->changes_order(); });
  combines_ = ask("combines()", [this] { return policy_->combines(); });
  has_releases_ = ask("has_releases()", [this] { return policy_->has_releases(); });
}

PolicySettings LibraryPolicy::settings(const PolicyCase& policy_case) const {
  return call_library(subject_, "settings()", [&] { return policy_->settings(policy_case); });
}

/// A computed order calls the library at every visit.
SendOrder LibraryPolicy::order(const Visitor& visitor) const {
  SendOrder order = call_library(subject_, "order()", [&] { return policy_->order(visitor); });
  if (!order.is_function()) return order;
  return {order.size(), [this, order](Rank i) {
            return call_library(subject_, "the function of order()", [&] { return order[i]; });
          }};
}

unsigned LibraryPolicy::stages(const Shape& shape) const {
  return call_library(subject_, "stages()", [&] { return policy_->stages(shape); });
}

Rank LibraryPolicy::relay(const Shape& shape, const Waypoint& packet) const {
  return call_library(subject_, "relay()", [&] { return policy_->relay(shape, packet); });
}

bool LibraryPolicy::keeps_to_shortest_ways(const Shape& shape) const {
  return call_library(subject_, "keeps_to_shortest_ways()",
                      [&] { return policy_->keeps_to_shortest_ways(shape); });
}

Tick LibraryPolicy::release(const Shape& shape, Rank self, Rank to) const {
  return call_library(subject_, "release()", [&] { return policy_->release(shape, self, to); });
}

}  // namespace toroid
