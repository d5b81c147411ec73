#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "fft/execute/engine.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/blueprint_difference.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/plan.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/node/agreement.hpp"
#include "packet/node/node.hpp"

namespace toroid::fft {
namespace {

bool has_extents_of(const Shape& a, const Shape& b) {
  bool equal = a.dims() == b.dims();
  for (unsigned d = 0; d < a.dims(); ++d) equal = equal && a.extent(d) == b.extent(d);
  return equal;
}

constexpr Agreement::Kind kPlans = {
    .name = "plan",
    .compare =
        [](const void* a, const void* b) {
          return difference(*static_cast<const Blueprint*>(a), *static_cast<const Blueprint*>(b));
        },
    .describe = [](const void* plan) { return fields_of(*static_cast<const Blueprint*>(plan)); }};

/// Returns the blueprint, if it is for the node's machine and equal to that of all other nodes.
std::shared_ptr<const Blueprint> checked(Node& node, std::shared_ptr<const Blueprint> blueprint) {
  if (blueprint == nullptr) throw BadInput("a plan of no blueprint; expected a blueprint");
  if (!has_extents_of(blueprint->shape(), node.shape()))
    throw BadInput(fmt::format("a blueprint for {} nodes; expected one for the machine's {}",
                               blueprint->shape().text(), node.shape().text()));
  if (Agreement* const agreement = node.options().agreement)
    agreement->add(node, blueprint, kPlans);
  return blueprint;
}

}  // namespace

Plan::Plan(Node& node, const Description& description)
    : Plan(node, std::make_shared<const Blueprint>(description, node.shape())) {}

Plan::Plan(Node& node, std::shared_ptr<const Blueprint> blueprint)
    : engine_(std::make_unique<Engine>(node, checked(node, std::move(blueprint)))) {}

Plan::Plan(Plan&&) noexcept = default;

/// Without memory for the list of what the node keeps, the engine ends here. Then a packet for it
/// ends the run.
Plan::~Plan() {
  if (engine_ == nullptr || engine_->node() == nullptr) return;
  try {
    engine_->node()->keep(std::shared_ptr<Engine>(std::move(engine_)));
  } catch (const std::bad_alloc&) {
  }
}

const Blueprint& Plan::blueprint() const {
  return engine_->blueprint();
}
const NodeLayout& Plan::input_layout() const {
  return engine_->input();
}
const NodeLayout& Plan::output_layout() const {
  return engine_->output();
}
std::span<const StageTimes> Plan::times() const {
  return engine_->times();
}

std::span<const std::uint64_t> Plan::numbers_shifted() const {
  return engine_->numbers_shifted();
}

std::span<const OrbitalTimes> Plan::orbital_times() const {
  return engine_->orbital_times();
}

std::size_t Plan::array_bytes() const {
  return engine_->array_bytes();
}

PerformAwaiter Plan::forward(ConstArray in, Array out, Scale scale) {
  return engine_->call(Way::forward, in, out, scale);
}
PerformAwaiter Plan::backward(ConstArray in, Array out, Scale scale) {
  return engine_->call(Way::backward, in, out, scale);
}

}  // namespace toroid::fft
