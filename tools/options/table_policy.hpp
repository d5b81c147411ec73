// A policy as data: a built-in one with other settings and, perhaps, tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "tools/options/policy_tables.hpp"

namespace toroid {

/// What a policy's file says.
struct PolicyData {
  std::string path;
  std::string name;
  const Policy* base = nullptr;
  SettingChanges changes{};
  std::optional<PolicyTables> tables{};
};

/// Everything that the data does not say is the built-in policy's.
class TablePolicy final : public Policy {
 public:
  explicit TablePolicy(PolicyData data);

  std::string_view name() const override { return data_.name; }
  std::string_view source() const override { return data_.path; }
  std::string_view known_result() const override { return data_.base->known_result(); }

  PolicySettings settings(const PolicyCase& policy_case) const override {
    return data_.changes.applied_to(data_.base->settings(policy_case));
  }
  SendOrder order(const Visitor& visitor) const override;
  bool changes_order() const override { return !has_order_ && data_.base->changes_order(); }
  /// Throws BadInput where the tables are for another shape.
  unsigned stages(const Shape& shape) const override;
  Rank relay(const Shape& shape, const Waypoint& packet) const override;
  bool keeps_to_shortest_ways(const Shape& shape) const override;
  bool combines() const override { return data_.base->combines(); }
  bool has_releases() const override { return data_.tables && data_.tables->has_releases(); }
  Tick release(const Shape&, Rank self, Rank to) const override {
    return data_.tables->release(self, to);
  }

 private:
  void check_shape(const Shape& shape) const;

  PolicyData data_;
  bool has_order_;
  bool has_relays_;
};

}  // namespace toroid
