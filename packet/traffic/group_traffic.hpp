// All-to-all within groups of nodes: the machine, its planes, its lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Nodes with equal coordinates outside the dimensions `inside` form a group. All members of a
/// group send each other the same number of bytes.
class GroupTraffic final : public Traffic {
 public:
  /// Bit d of `inside` stands for dimension d. `bytes` are sent for each ordered pair of a group's
  /// members.
  GroupTraffic(std::string name, const Shape& shape, unsigned inside, std::uint64_t bytes);

  std::string_view name() const override { return name_; }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::optional<std::uint64_t> message_bytes() const override { return bytes_; }
  bool is_uniform_all_to_all() const override { return members_ == shape_.size(); }
  unsigned all_to_all_inside() const override { return inside_; }
  std::vector<Rank> targets(Rank from) const override;
  std::vector<Rank> sources(Rank to) const override { return targets(to); }
  Rank draw(Rank from, Random& random) const override;

 private:
  struct Axis {
    Rank extent;
    Rank stride;  ///< in ranks
  };
  /// The member of the node's group that has coordinate 0 in all dimensions `inside`.
  Rank first_of(Rank node) const;
  Rank member(Rank first, Rank number) const;

  std::string name_;
  Shape shape_;
  unsigned inside_;
  std::uint64_t bytes_;
  std::vector<Axis> axes_;  ///< the dimensions `inside`, in C order
  Rank members_ = 1;
};

}  // namespace toroid
