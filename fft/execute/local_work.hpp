// The transforms of one stage on one node, or of some planes of its part: what runs without
// packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fft/execute/local_array.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/description.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid {

/// What the work is done on.
struct LocalTask {
  NodeLayout from;  ///< equal boxes, but for the axes that are transformed
  NodeLayout to;
  Axes axes{};
  bool real_from = false;
  bool real_to = false;
  bool backward = false;
  bool in_place = false;
  bool may_destroy_from = false;  ///< its data is needed no more
  /// Both arrays begin at a multiple of 16 bytes.
  bool aligned = true;
};

struct LocalCost {
  std::int64_t lines = 0;  ///< line transforms
  Tick cycles = 0;         ///< on the machine; a line of real data takes half of a complex one
};
LocalCost cost_of(const LocalTask& task, const Machine& machine);

/// Prepared once, for any number of arrays. Where a transformed axis differs in length on the two
/// sides and the data is complex, forward drops the high frequencies and backward takes them for
/// zero.
class LocalWork {
 public:
  LocalWork() = default;  ///< does nothing
  LocalWork(const LocalTask& task, Precision precision, Rigor rigor, const Machine& machine);

  /// REQUIRES: from == to where in place, disjoint otherwise. Leaves `from` as it was unless in
  /// place or allowed to destroy it.
  void run(const std::byte* from, std::byte* to);

  Tick cycles() const { return cost_.cycles; }
  std::int64_t lines() const { return cost_.lines; }
  /// Of its arrays in between.
  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(scratch_bytes_[0] + scratch_bytes_[1]);
  }

 private:
  enum class Place : std::uint8_t { from, to, first, second };  ///< the last two are scratch
  struct Step {
    std::shared_ptr<const local::Kernel> kernel;
    Place in;
    Place out;
    std::int64_t in_at = 0;  ///< bytes from the beginning of the array
    std::int64_t out_at = 0;
    std::size_t clear = 0;  ///< bytes of `out` to be set to zero before
  };
  struct Side {
    NodeLayout layout;
    Place place;
  };

  void plan_copy(const LocalTask& task);
  void plan_lines(const LocalTask& task);
  void plan_box(const LocalTask& task);
  void plan_cut(const LocalTask& task);
  Side fourier(const LocalTask& task, const Side& from, const Side& to, unsigned axis);
  void copy_centre(const LocalTask& task, const Side& large, const Side& small, unsigned axis);
  Step& add(const local::Work& work, Place in, Place out);
  local::Work blank(const LocalTask& task) const;
  Side scratch(const Box& box, Place place);
  std::byte* at(Place place, const std::byte* from, std::byte* to);

  Precision precision_ = Precision::double_;
  Rigor rigor_ = Rigor::estimate;
  std::vector<Step> steps_;
  std::array<std::int64_t, 2> scratch_bytes_{};
  std::array<std::unique_ptr<LocalArray>, 2> scratch_;
  LocalCost cost_;
};

}  // namespace toroid
