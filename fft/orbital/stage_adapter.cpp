#include "fft/orbital/stage_adapter.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <deque>
#include <vector>

#include "fft/kernels/blas.hpp"
#include "fft/layout/box.hpp"
#include "fft/layout/distribution.hpp"
#include "fft/layout/local_array.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/orbital/broadcast_transform.hpp"
#include "fft/orbital/transform.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/transform_kind.hpp"

namespace toroid::fft {
namespace {

template <typename T>
class ShiftedState final : public OrbitalStageAdapter {
 public:
  ShiftedState(Node& node, const Description& description, Way way)
      : node_(&node), plan_(orbital_plan(description, node.shape(), way)) {
    const std::int64_t lanes = orbital_lanes(description.batch, description.variant);
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      lanes_.push_back(
          &transforms_.emplace_back(node, plan_, node.reserve_handlers(OrbitalBase::kHandlers)));
  }

  void put(std::size_t lane, const std::byte* block) override {
    std::memcpy(static_cast<void*>(transforms_[lane].input().data()), block, bytes());
  }
  void get(std::size_t lane, std::byte* block) override {
    std::memcpy(block, transforms_[lane].output().data(), bytes());
  }
  std::size_t lanes() const override { return lanes_.size(); }
  Program program(std::size_t lanes) override {
    return orbital_transforms(*node_, OrbitalLanes(lanes_).first(lanes));
  }
  std::size_t bytes() const override { return plan_.block_elements() * sizeof(T); }
  std::size_t array_bytes() const override { return lanes() * transforms_[0].array_bytes(); }
  std::span<const OrbitalTimes> times() const override { return transforms_[0].times(); }
  std::span<const std::uint64_t> numbers_shifted() const override {
    return transforms_[0].numbers_shifted();
  }

 private:
  Node* node_;
  OrbitalPlan plan_;
  std::deque<OrbitalTransform<T>> transforms_;
  std::vector<OrbitalBase*> lanes_;
};

template <typename T>
class BroadcastState final : public OrbitalStageAdapter {
 public:
  BroadcastState(Node& node, const Description& description, Way way)
      : node_(&node),
        plan_(orbital_plan(description, node.shape(), way)),
        transform_(node, plan_, node.reserve_handlers(BroadcastBase::kHandlers)) {}

  void put(std::size_t, const std::byte* block) override {
    std::memcpy(static_cast<void*>(transform_.input().data()), block, bytes());
  }
  void get(std::size_t, std::byte* block) override {
    std::memcpy(block, transform_.output().data(), bytes());
  }
  std::size_t lanes() const override { return 1; }
  Program program(std::size_t) override { return broadcast_transform(*node_, transform_); }
  std::size_t bytes() const override { return plan_.block_elements() * sizeof(T); }
  std::size_t array_bytes() const override { return transform_.array_bytes(); }
  std::span<const OrbitalTimes> times() const override { return transform_.times(); }
  std::span<const std::uint64_t> numbers_shifted() const override {
    return transform_.numbers_shifted();
  }

 private:
  Node* node_;
  OrbitalPlan plan_;
  BroadcastTransform<T> transform_;
};

template <typename T>
std::unique_ptr<OrbitalStageAdapter> state_of(Node& node, const Description& description, Way way) {
  if (description.variant == OrbitalVariant::cra)
    return std::make_unique<ShiftedState<T>>(node, description, way);
  return std::make_unique<BroadcastState<T>>(node, description, way);
}

/// A node's block of every array of a batch.
NodeLayout blocks_of_batch(Box box, std::int64_t batch) {
  box.hi[kBatchAxis] = batch;
  return NodeLayout::dense(box);
}

}  // namespace

OrbitalPlan orbital_plan(const Description& description, const Shape& shape, Way way) {
  const bool single = description.precision == Precision::single;
  OrbitalOptions options;
  std::ranges::copy_n(description.kinds.begin(), 3, options.kinds.begin());
  options.sign = way == Way::forward ? Sign::forward : Sign::inverse;
  options.alpha = description.scheduling;
  options.variant = description.variant;
  options.stage_axes = description.stage_axes;
  options.library = description.library;
  options.rigor = description.rigor;
  if (description.real)
    options.element = single ? ElementType::float32 : ElementType::float64;
  else
    options.element = single ? ElementType::complex64 : ElementType::complex128;
  return {{description.size[0], description.size[1], description.size[2]}, shape, options};
}

std::int64_t orbital_lanes(std::int64_t batch, OrbitalVariant variant) {
  return variant == OrbitalVariant::cra ? std::min<std::int64_t>(batch, 2) : 1;
}

/// Each lane of a node has two blocks of the array, two more blocks that are large enough for the
/// array or for coefficients, and the coefficients of each axis. In the broadcast variants it has
/// four blocks of the array, two blocks for other nodes' coefficients, and the coefficients of each
/// axis.
double orbital_bytes(const ArrayExtents& size, const Shape& shape, std::int64_t batch,
                     OrbitalVariant variant) {
  const double nodes = shape.size();
  const double extent = std::cbrt(nodes);
  double block = 1;
  double squares = 0;  // elements of the coefficients of all axes
  double largest = 0;
  for (const std::int64_t n : size) {
    const double edge = static_cast<double>(n) / extent;
    block *= edge;
    squares += edge * edge;
    largest = std::max(largest, edge * edge);
  }
  const bool rolls_all = variant == OrbitalVariant::cra;
  const auto lanes = static_cast<double>(orbital_lanes(batch, variant));
  const double others = rolls_all ? 2 * std::max(block, largest) : 2 * (block + largest);
  return sizeof(Complex) * nodes * lanes * (2 * block + others + squares);
}

Stages orbital_stages(const Description& description, const Shape& shape) {
  const OrbitalPlan plan = orbital_plan(description, shape, Way::forward);
  const Index extents = in_extents(description);
  const std::int64_t batch = description.batch;
  const bool real = description.real;
  const Distribution canonical{
      extents, [=](Rank node) { return blocks_of_batch(plan.input_box(node), batch); }};
  const Distribution skewed{
      extents, [=](Rank node) { return blocks_of_batch(plan.output_box(node), batch); }};
  Stages stages;
  stages.stages.push_back({"xyz", canonical, skewed, {}, real, real, true});
  if (description.return_to_input) {
    stages.exchanges.push_back({0, shape.dims(), {}, {}});
    stages.stages.push_back({"return", canonical, canonical, {}, real, real, false, true});
  }
  return stages;
}

std::unique_ptr<OrbitalStageAdapter> OrbitalStageAdapter::make(Node& node,
                                                               const Description& description,
                                                               Way way) {
  load_blas();
  const bool single = description.precision == Precision::single;
  if (description.real && single) return state_of<float>(node, description, way);
  if (description.real) return state_of<double>(node, description, way);
  if (single) return state_of<std::complex<float>>(node, description, way);
  return state_of<std::complex<double>>(node, description, way);
}

}  // namespace toroid::fft
