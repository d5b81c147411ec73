#include "fft/plan/blueprint.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fft/layout/redistribution.hpp"
#include "fft/plan/check_description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/norm.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

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
  check_fields(description);
  check_method(description);
  set_weights(description_);
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
  check_parts();
  keep_pieces_where_all_receive();
}

Blueprint::Blueprint(const Description& description, const Shape& shape, Stages stages)
    : description_(description),
      shape_(shape),
      has_own_stages_(true),
      stages_(std::move(stages.stages)),
      exchanges_(std::move(stages.exchanges)) {
  check_fields(description);
  if (stages_.size() != exchanges_.size() + 1)
    throw BadInput(fmt::format("{} stages with {} exchanges; expected one between any two stages",
                               stages_.size(), exchanges_.size()));
  check_parts();
}

/// Checks that every part of every exchange can be sent. If the whole array could be, nothing needs
/// to be looked at: gaps at most double it.
void Blueprint::check_parts() const {
  constexpr std::int64_t kSmall = std::int64_t{1} << 29;
  const auto is_small = [](const Stage& stage) {
    return Box::of(stage.in.extents).volume() <= kSmall &&
           Box::of(stage.out.extents).volume() <= kSmall;
  };
  if (std::ranges::all_of(stages_, is_small)) return;
  for (std::size_t i = 0; i < exchanges_.size(); ++i) {
    const Rank members = exchanges_[i].group(shape_, 0).size();
    for (Rank node = 0; node < shape_.size(); ++node) {
      check_extent(stages_[i].out.layout(node), members);
      check_extent(stages_[i + 1].in.layout(node), members);
    }
  }
}

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
