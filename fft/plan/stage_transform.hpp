// The computation of one stage on one node: transforms of whole axes, without packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/machine.hpp"
#include "hal/tick.hpp"

namespace toroid::fft {

/// Which axes of a node's data are transformed, and from which layout to which layout.
struct LocalTask {
  NodeLayout from;
  NodeLayout to;  ///< the boxes of `from`, except for their lengths along transformed axes
  Axes axes{};    ///< axes to transform
  bool real_from = false;
  bool real_to = false;
  bool backward = false;
  bool in_place = false;
  bool may_destroy_from = false;  ///< the data in `from` is not needed afterwards
  bool aligned = true;            ///< both arrays begin at a multiple of 16 bytes
  bool stays_in_cache = false;    ///< the output is still in the cache when it is read
  unsigned cores = 1;             ///< in virtual time, cores that share the lines of each axis
};

/// The cost of a task on a machine.
struct LocalCost {
  std::int64_t lines = 0;  ///< number of line transforms
  Tick cycles = 0;         ///< a line of real data takes half the cycles of a complex line
};
LocalCost cost_of(const LocalTask& task, const Machine& machine);

/// A task that is planned once and can run on any number of arrays. If a transformed axis of
/// complex data has different lengths on the two sides, forward drops the high frequencies and
/// backward takes them as zero. It owns its scratch arrays, so only one thread may run it at a
/// time.
class StageTransform {
 public:
  StageTransform() = default;  ///< does nothing
  /// `test_interval`: maximum number of lines per step; 0 if there is no limit. Only the precision,
  /// rigor, library and kinds of the description are used.
  StageTransform(const LocalTask& task, const Description& description, const Machine& machine,
                 std::int64_t test_interval = 0);

  /// Leaves `from` unchanged unless the task is in place or may destroy it. REQUIRES: from == to if
  /// the task is in place; otherwise the arrays are disjoint.
  void run(const std::byte* from, std::byte* to);
  /// The same work in steps; the caller runs all of them in order.
  std::uint32_t steps() const { return static_cast<std::uint32_t>(steps_.size()); }
  void run_step(std::uint32_t step, const std::byte* from, std::byte* to);

  /// Cycles of the task on the machine; see LocalCost.
  Tick cycles() const { return cost_.cycles; }
  std::int64_t lines() const { return cost_.lines; }
  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(scratch_bytes_[0] + scratch_bytes_[1]);
  }

 private:
  /// An array: the caller's source or target, or a scratch array.
  enum class Place : std::uint8_t { from, to, first, second };
  /// A kernel, its input and its output. The steps run one after the other.
  struct Step {
    std::shared_ptr<const local::Kernel> kernel;
    Place in;
    Place out;
    std::int64_t in_at = 0;  ///< offset in bytes from the beginning of the array
    std::int64_t out_at = 0;
    std::size_t clear = 0;  ///< number of bytes of `out` to set to zero first
  };
  struct Side {
    NodeLayout layout;
    Place place;
  };

  // Each of these functions makes the steps of one kind of task.
  void plan_copy(const LocalTask& task);
  void plan_lines(const LocalTask& task);
  void plan_box(const LocalTask& task);
  void plan_several_kinds(const LocalTask& task, local::Work work);
  bool is_fourier(const LocalTask& task) const;
  local::Work real_work(const LocalTask& task, local::Work work, unsigned axis) const;
  bool copies_first(const LocalTask& task, const local::Work& work) const;
  void plan_cut(const LocalTask& task);
  /// Transforms one axis of a whole box.
  Side transform_axis(const LocalTask& task, const Side& from, const Side& to, unsigned axis);
  void copy_centre(const LocalTask& task, const Side& large, const Side& small, unsigned axis);
  /// Adds the steps of a work and returns the last one. A work that transforms nothing is one step.
  Step& add(const local::Work& work, Place in, Place out);
  local::Work blank(const LocalTask& task) const;
  Side scratch(const Box& box, Place place);
  std::byte* at(Place place, const std::byte* from, std::byte* to);

  Precision precision_ = Precision::double_;
  Rigor rigor_ = Rigor::estimate;
  const local::Library* library_ = nullptr;
  std::array<AxisTransform, kMaxAxes> kinds_{};
  std::int64_t test_interval_ = 0;
  std::vector<Step> steps_;
  std::array<std::int64_t, 2> scratch_bytes_{};
  std::array<std::unique_ptr<LocalArray>, 2> scratch_;
  LocalCost cost_;
};

}  // namespace toroid::fft
