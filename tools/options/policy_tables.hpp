// A policy as data: its tables, read and checked, and the policy made of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"

namespace toroid {

/// Paths of the tables; empty: there is none.
struct PolicyTableFiles {
  std::string order;
  std::string relays;
  std::string release;

  /// Those that there are, in this order.
  std::vector<std::string> paths() const;
};

/// Tables for one shape. Each node's row stands at its rank.
class PolicyTables {
 public:
  /// Reads and checks the files. Throws BadInput with the file, the row and what was expected.
  PolicyTables(const Shape& shape, const PolicyTableFiles& files);

  const Shape& shape() const { return shape_; }
  bool has_order() const { return !order_.empty() || !offsets_.empty(); }
  bool has_relays() const { return !relays_.empty(); }
  bool has_releases() const { return !releases_.empty(); }

  /// REQUIRES: has_order().
  SendOrder order(Rank self) const;
  /// REQUIRES: has_relays().
  Rank relay(Rank from, Rank to) const { return relays_[from * std::size_t{shape_.size()} + to]; }
  /// REQUIRES: has_releases().
  Tick release(Rank from, Rank to) const {
    return releases_[from * std::size_t{shape_.size()} + to];
  }
  /// Whether every relay is on a shortest way. A twisted torus counts as having no such relays.
  bool relays_keep_to_shortest_ways() const { return keeps_to_shortest_ways_; }

 private:
  Shape shape_;
  std::vector<Rank> order_;        ///< nodes x (nodes - 1)
  std::vector<Coord> offsets_;     ///< nodes - 1, alike for all nodes
  bool offsets_of_ranks_ = false;  ///< only the offsets' ranks count
  std::vector<Rank> relays_;       ///< nodes x nodes
  std::vector<Tick> releases_;     ///< nodes x nodes
  bool keeps_to_shortest_ways_ = false;
};

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
