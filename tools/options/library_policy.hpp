// A policy from a shared library, whose functions cannot end the run.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"

namespace toroid {

/// Passes all calls on to the library's policy. An exception from there becomes a failure with the
/// policy's name and file (call_library()). The answers that do not depend on a shape are asked for
/// once, so they cannot change during a run.
class LibraryPolicy final : public Policy {
 public:
  /// `file`: as the user typed it. Throws BadInput or RunFailed if a function of the policy throws.
  LibraryPolicy(std::unique_ptr<const Policy> policy, const std::string& file);

  std::string_view name() const override { return name_; }
  std::string_view source() const override { return source_; }
  std::string_view known_result() const override { return known_result_; }
  PolicySettings settings(const PolicyCase& policy_case) const override;
  SendOrder order(const Visitor& visitor) const override;
  bool changes_order() const override { return changes_order_; }
  unsigned stages(const Shape& shape) const override;
  Rank relay(const Shape& shape, const Waypoint& packet) const override;
  bool keeps_to_shortest_ways(const Shape& shape) const override;
  bool combines() const override { return combines_; }
  bool has_releases() const override { return has_releases_; }
  Tick release(const Shape& shape, Rank self, Rank to) const override;

 private:
  std::unique_ptr<const Policy> policy_;
  std::string subject_;  ///< "policy mine (./mine.so)"
  std::string name_;
  std::string source_;
  std::string known_result_;
  bool changes_order_;
  bool combines_;
  bool has_releases_;
};

}  // namespace toroid
