// Runs a plan on every node of a machine and puts the result together, for the tests of fft/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/fabric.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/runner.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/fft/reference.hpp"

namespace toroid::testing {

/// The methods that are not limited to cubic tori.
inline constexpr std::array kMethods = {fft::Method::volumetric, fft::Method::slab,
                                        fft::Method::rows};

/// The place of an element if the arrays of a batch are stored one after the other, each in C
/// order.
inline std::size_t place(const fft::Index& extents, const fft::Index& at) {
  std::int64_t place = at[fft::kBatchAxis];
  for (unsigned axis = 0; axis < fft::kMaxAxes; ++axis) place = place * extents[axis] + at[axis];
  return static_cast<std::size_t>(place);
}

/// Calls visit(index) for every element of a box.
template <typename Visit>
void for_each_index(const fft::Box& box, Visit&& visit) {
  for (std::int64_t number = 0; number < box.volume(); ++number) {
    fft::Index at{};
    std::int64_t rest = number;
    for (unsigned axis = fft::kAxes; axis-- > 0;) {
      at[axis] = box.lo[axis] + rest % box.length(axis);
      rest /= box.length(axis);
    }
    visit(at);
  }
}

/// Calls visit(global place, local offset) for every element of a node's part.
template <typename Visit>
void for_each_element(const fft::Index& extents, const fft::NodeLayout& layout, Visit&& visit) {
  for (const fft::Box& box : layout.boxes())
    for_each_index(box, [&](const fft::Index& at) {
      visit(place(extents, at), static_cast<std::size_t>(layout.offset(at)));
    });
}

/// One node's side of a transform from In elements to Out elements and back.
template <typename In, typename Out>
struct PlanNode {
  PlanNode(Node& node, std::shared_ptr<const fft::Blueprint> blueprint) : plan(node, blueprint) {
    in.resize(plan.input_size());
    out.resize(plan.output_size());
    back.resize(plan.input_size());
  }
  fft::Plan plan;
  std::vector<In> in;
  std::vector<Out> out;
  std::vector<In> back;
  std::vector<fft::StageTimes> times;  ///< times of forward
};

template <typename In, typename Out>
Program there_and_back(Node&, PlanNode<In, Out>& self) {
  co_await self.plan.forward(self.in, self.out);
  self.times.assign(self.plan.times().begin(), self.plan.times().end());
  co_await self.plan.backward(self.out, self.back, fft::Scale::by_n);
}

template <typename In, typename Out>
struct PlanRun {
  std::vector<Out> result;
  std::vector<In> back;
  std::vector<bool> result_here;  ///< false if another process holds the element
  std::vector<bool> back_here;
  Tick cycles = 0;
  std::vector<fft::StageTimes> times;  ///< times of the first node in the forward call
};

/// Options for a plan's nodes: those of the policy, with the changes and the queue capacity that
/// the test asks for.
inline NodeOptions plan_options(const fft::Blueprint& blueprint, const Machine& machine,
                                const NodeOptions& asked) {
  NodeOptions options = fft::node_options(blueprint, machine, asked);
  options.settings.queue_capacity = asked.settings.queue_capacity;
  return options;
}

/// Transforms forward, then backward with the scale 1/N.
template <typename In, typename Out>
PlanRun<In, Out> run_plan(Fabric& fabric, const fft::Description& description,
                          const std::vector<In>& array, const NodeOptions& asked = {}) {
  const auto blueprint = std::make_shared<const fft::Blueprint>(description, fabric.shape());
  const NodeOptions options = plan_options(*blueprint, fabric.machine(), asked);
  Runner runner(fabric, options);
  std::deque<PlanNode<In, Out>> sides;
  runner.run([&](Node& node) {
    auto& side = sides.emplace_back(node, blueprint);
    for_each_element(blueprint->in_extents(), side.plan.input_layout(),
                     [&](std::size_t from, std::size_t to) { side.in[to] = array[from]; });
    return there_and_back(node, side);
  });
  PlanRun<In, Out> run;
  run.result.resize(static_cast<std::size_t>(fft::Box::of(blueprint->out_extents()).volume()));
  run.back.resize(array.size());
  run.result_here.resize(run.result.size());
  run.back_here.resize(run.back.size());
  run.times = sides[0].times;
  for (const auto& side : sides) {
    for_each_element(blueprint->out_extents(), side.plan.output_layout(),
                     [&](std::size_t to, std::size_t from) {
                       run.result[to] = side.out[from];
                       run.result_here[to] = true;
                     });
    for_each_element(blueprint->in_extents(), side.plan.input_layout(),
                     [&](std::size_t to, std::size_t from) {
                       run.back[to] = side.back[from];
                       run.back_here[to] = true;
                     });
  }
  run.cycles = runner.finished_at();
  return run;
}

/// Runs the plan on the model.
template <typename In, typename Out>
PlanRun<In, Out> simulate(const char* torus, const fft::Description& description,
                          const std::vector<In>& array, NodeOptions options = {}) {
  const auto fabric = make_sim_fabric(Shape::parse(torus), Machine{});
  return run_plan<In, Out>(*fabric, description, array, options);
}

/// |a - b| / |b| in the Euclidean norm.
template <typename A, typename B>
double relative_error(const std::vector<A>& a, const std::vector<B>& b) {
  return relative_l2(exactly<A>(a), exactly<B>(b));
}

}  // namespace toroid::testing
