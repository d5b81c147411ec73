#include "fft/plan/blueprint.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "fft/kernels/kernel.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

std::string size_text(const Description& description) {
  return fmt::format("{}", fmt::join(description.size, "x"));
}

void check_axes(const Description& description) {
  const std::size_t axes = description.size.size();
  if (axes < 1 || axes > kMaxAxes)
    throw BadInput(fmt::format("an array has 1 to {} axes, not {}", kMaxAxes, axes));
  for (const std::int64_t n : description.size) TOROID_CHECK(n >= 1);
  TOROID_CHECK(description.batch >= 1);
  if (description.method != Method::rows && axes != 3)
    throw BadInput(
        fmt::format("the {} method takes arrays of 3 axes, but {} has {}; "
                    "method rows takes 1 to {}",
                    kMethodNames[static_cast<std::size_t>(description.method)],
                    size_text(description), axes, kMaxAxes));
}

void check_cut(const Description& description) {
  const double cut = description.box_cut;
  TOROID_CHECK(cut >= 1);
  if (cut == 1) return;
  if (description.method != Method::slab) throw BadInput("a box cut needs the slab method");
  if (description.real) throw BadInput("a box cut needs complex data");
  const std::int64_t shortest = std::ranges::min(description.size);
  if (kept_of(shortest, cut) < 1)
    throw BadInput(fmt::format("a box cut of {} leaves no points of {}; use at most {}", cut,
                               size_text(description), shortest));
}

void check_overlap(const Overlap& overlap) {
  if (overlap.window < 1 || overlap.window > kMostOutstanding)
    throw BadInput(fmt::format("a window of {} exchanges; expected 1 to {}", overlap.window,
                               kMostOutstanding));
  TOROID_CHECK(overlap.test_interval >= 0);
}

void check_kinds(const Description& description) {
  if (description.method == Method::orbital) return;
  for (const AxisTransform& transform : description.kinds)
    if (transform.kind != TransformKind::dft)
      throw BadInput("transforms other than the dft need the orbital method");
}

/// Message passing carries an exchange in one blocking call. The orbital method has no exchanges.
void check_layer(const Description& description) {
  if (description.layer == Layer::packets) return;
  if (description.method == Method::orbital)
    throw BadInput(
        "the orbital method has no exchanges for message passing to carry; use layer packets");
  if (description.overlap.planes != 0 || description.overlap.backward_planes.value_or(0) != 0)
    throw BadInput(
        "message passing is blocking and cannot overlap planes with computation; use 0 planes");
}

/// Sets the user's boxes to [0, 1) along axes that the array does not have.
void complete(std::vector<Box>& boxes, std::size_t axes) {
  for (Box& box : boxes)
    for (std::size_t axis = axes; axis < kAxes; ++axis) {
      box.lo[axis] = 0;
      box.hi[axis] = 1;
    }
}

/// With return_to_input, the result goes back to the in-boxes, if the user gave any.
void return_to_boxes(Description& description) {
  if (!description.return_to_input || description.in_boxes.empty()) return;
  if (in_extents(description) != out_extents(description))
    throw BadInput(
        "the result's extents differ from the data's, so it cannot return to the in-boxes; give "
        "out-boxes");
  description.out_boxes = description.in_boxes;
}

Stages stages_of(const Description& description, const Shape& shape) {
  switch (description.method) {
    case Method::slab:
      return slab_stages(description, shape);
    case Method::orbital:
      return orbital_stages(description, shape);
    case Method::rows:
      return rows_stages(description, shape);
    case Method::volumetric:
      break;
  }
  return volumetric_stages(description, shape);
}

}  // namespace

Blueprint::Blueprint(const Description& description, const Shape& shape)
    : description_(description), shape_(shape) {
  check_axes(description);
  check_cut(description);
  check_kinds(description);
  check_overlap(description.overlap);
  (void)local::library(description.library);  // throws if the build lacks it
  check_layer(description);
  complete(description_.in_boxes, description_.size.size());
  complete(description_.out_boxes, description_.size.size());
  if (description_.out_boxes.empty()) return_to_boxes(description_);
  if (!description_.out_boxes.empty()) description_.return_to_input = false;
  if (description.method == Method::volumetric && description.layer == Layer::packets) {
    description_.overlap.planes = 1;
    description_.overlap.backward_planes.reset();
    description_.overlap.taper = false;
    description_.overlap.start = Start::exchange;
  }
  Stages made = stages_of(description_, shape);
  stages_ = std::move(made.stages);
  exchanges_ = std::move(made.exchanges);
  add_user_boxes();
  keep_pieces_where_all_receive();
}

Blueprint::Blueprint(const Description& description, const Shape& shape, Stages stages)
    : description_(description),
      shape_(shape),
      stages_(std::move(stages.stages)),
      exchanges_(std::move(stages.exchanges)) {}

/// Cuts an exchange only if every node receives something. PipelinedExchange relies on this: a node
/// that has completed a piece knows that all other nodes have started it. A node that receives
/// nothing would not know this and could run ahead.
void Blueprint::keep_pieces_where_all_receive() {
  const auto all_receive = [this](const Distribution& distribution) {
    for (Rank node = 0; node < shape_.size(); ++node)
      if (distribution.layout(node).size() == 0) return false;
    return true;
  };
  for (std::size_t i = 0; i < exchanges_.size(); ++i) {
    auto& [first, last, forward, backward] = exchanges_[i];
    if (forward && !all_receive(stages_[i + 1].in)) forward.reset();
    if (backward && !all_receive(stages_[i].out)) backward.reset();
  }
}

/// Adds exchanges among all nodes: one from the user's in-boxes, if there are any, to the method's
/// first stage, and one from its last stage to the out-boxes, if there are any.
void Blueprint::add_user_boxes() {
  const StageExchange whole{0, shape_.dims(), {}, {}};
  if (!description_.in_boxes.empty()) {
    const Index extents = in_extents();
    check_boxes(fft::in_extents(without_batch()), description_.in_boxes, shape_.size(), "in-box");
    const bool real = stages_.front().real_in;
    const Distribution distribution = distribution_of_boxes(extents, description_.in_boxes);
    stages_.insert(stages_.begin(),
                   {"in", distribution, distribution, {}, real, real, false, true});
    exchanges_.insert(exchanges_.begin(), whole);
  }
  if (!description_.out_boxes.empty()) {
    const Index extents = out_extents();
    check_boxes(fft::out_extents(without_batch()), description_.out_boxes, shape_.size(),
                "out-box");
    const bool real = stages_.back().real_out;
    const Distribution distribution = distribution_of_boxes(extents, description_.out_boxes);
    stages_.push_back({"out", distribution, distribution, {}, real, real, false, true});
    exchanges_.push_back(whole);
  }
}

Description Blueprint::without_batch() const {
  Description one = description_;
  one.batch = 1;
  return one;
}

double Blueprint::points() const {
  double points = 1;
  for (const std::int64_t n : description_.size) points *= static_cast<double>(n);
  return points;
}

PieceRule Blueprint::pieces(std::size_t exchange, Way way) const {
  const StageExchange& between = exchanges_[exchange];
  const bool forward = way == Way::forward;
  const auto axis = forward ? between.forward_axis : between.backward_axis;
  const std::int64_t wanted = description_.overlap.planes_of(way);
  if (!axis || wanted <= 0) return {};
  const Distribution& sent = forward ? stages_[exchange].out : stages_[exchange + 1].in;
  const std::int64_t longest = Split{sent.extents[*axis], between.group(shape_, 0).size()}.most();
  std::int64_t planes = std::min(wanted, longest);
  const bool tapers = description_.overlap.taper;
  while (!tapers && longest % planes != 0) --planes;
  return {*axis, planes, tapers};
}

std::optional<unsigned> Blueprint::line_axis(std::size_t exchange, Way way) const {
  if (description_.overlap.start != Start::lines || pieces(exchange, way).planes == 0) return {};
  const StageExchange& between = exchanges_[exchange];
  return way == Way::forward ? between.backward_axis : between.forward_axis;
}

}  // namespace toroid::fft
