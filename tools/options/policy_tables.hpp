// A policy as data: its tables and the policy made from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/direction.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"

namespace toroid {

/// "torus 4x4", or "tori 4x4, 6x6".
std::string text_of_toruses(std::span<const Shape> shapes);

/// What tables depend on in a shape: extents, meshes and twists. Shapes with the same key have the
/// same tables. Failures do not matter, nor whether a dimension with an extent of 1 wraps.
class TableKey {
 public:
  explicit TableKey(const Shape& shape);
  auto operator<=>(const TableKey&) const = default;

 private:
  /// Per dimension 2 x extent, and 1 more if it wraps; 0 past the shape's dimensions.
  std::array<std::uint16_t, kMaxDims> dimensions_{};
  std::array<std::array<std::uint8_t, kMaxDims>, kMaxDims> twists_{};
};

/// The paths of the tables. A path is empty if there is no such table.
struct PolicyTableFiles {
  std::string order;
  std::string relays;
  std::string release;

  /// The non-empty paths, in this order.
  std::vector<std::string> paths() const;
};

/// The tables of a policy for one shape. The number of a node's row is the node's rank.
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
  /// Whether every relay is on a shortest path from source to destination; always false for a
  /// twisted torus.
  bool relays_keep_to_shortest_ways() const { return keeps_to_shortest_ways_; }

 private:
  Shape shape_;
  std::vector<Rank> order_;        ///< nodes x (nodes - 1)
  std::vector<Coord> offsets_;     ///< nodes - 1, the same for all nodes
  bool offsets_of_ranks_ = false;  ///< the offsets are of ranks, not of coordinates
  std::vector<Rank> relays_;       ///< nodes x nodes
  std::vector<Tick> releases_;     ///< nodes x nodes
  bool keeps_to_shortest_ways_ = false;
};

/// The content of a policy file.
struct PolicyData {
  std::string path;
  std::string name;
  const Policy* base = nullptr;
  SettingChanges changes{};
  std::vector<PolicyTables> tables{};  ///< each for another shape; empty if the file has none
};

/// A policy from a file. What the file omits is taken from the built-in policy that it names. If
/// the file has tables, each call uses those for the shape of the nodes that exchange.
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
  bool changes_order() const override { return changes_order_; }
  /// Throws BadInput if the file has tables, but none for this shape.
  unsigned stages(const Shape& shape) const override;
  Rank relay(const Shape& shape, const Waypoint& packet) const override;
  bool keeps_to_shortest_ways(const Shape& shape) const override;
  bool combines() const override { return data_.base->combines(); }
  /// Whether the tables for any of the shapes have release times.
  bool has_releases() const override { return has_releases_; }
  Tick release(const Shape& shape, Rank self, Rank to) const override;
  /// The shapes whose tables have release times, if the file has tables for others too. Otherwise
  /// none.
  std::vector<Shape> shapes_with_releases() const;

 private:
  const PolicyTables* tables_for(const Shape& shape) const;
  std::string lacking_beside(const Shape& shape) const;

  PolicyData data_;
  std::map<TableKey, std::size_t> index_of_;  ///< indices into data_.tables; never changes
  bool changes_order_;
  bool has_releases_;
};

}  // namespace toroid
