#include "router/ofi/agreement.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/link_errors.hpp"
#include "hal/version.hpp"
#include "router/job/agreement.hpp"
#include "router/ofi/libfabric.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::ofi {
namespace {

/// Items such as "torus 4x4x4", in the same order on all processes.
using Items = std::vector<std::string>;

template <typename Enum, std::size_t n>
std::string_view name_in(const std::array<std::string_view, n>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

void add_shape(const Shape& shape, Items& items) {
  items.push_back("torus " + shape.text());
  const FailureList list = shape.failures() == nullptr ? FailureList() : shape.failures()->list();
  items.push_back(fmt::format("failed links '{}'", fmt::join(list.links, " ")));
  items.push_back(fmt::format("failed nodes '{}'", fmt::join(list.nodes, " ")));
  items.push_back(fmt::format("long ways {}", list.long_ways));
}

void add_machine(const Machine& machine, Items& items) {
  for (const MachineField& field : machine_fields())
    items.push_back(fmt::format("machine key {} = {}", field.key, value_of(machine, field)));
}

void add_routing(const RoutingOptions& routing, Items& items) {
  items.push_back(fmt::format("transit_first {}", routing.transit_first));
  items.push_back(fmt::format("bubble_rule {}", routing.bubble_rule));
  std::string rates;
  for (const LinkErrors::Rate& rate : routing.link_errors.rates)
    rates += fmt::format("{}{}@{}", rates.empty() ? "" : " ", rate.errors, rate.link);
  items.push_back(fmt::format("link errors '{}'", rates));
  items.push_back(fmt::format("link faults {:#x}", routing.link_errors.faults));
  items.push_back(fmt::format("link error burst {}", routing.link_errors.burst));
  items.push_back(fmt::format("link error limit {}", routing.link_errors.limit));
  items.push_back(fmt::format("link seed {}", routing.link_seed));
}

void add_options(const OfiOptions& options, Items& items) {
  items.push_back(fmt::format("route {}", name_in(kRingRouteNames, options.ring.route)));
  items.push_back("tying " + options.ring.tying.text());
  items.push_back(fmt::format("stall limit {} ms", options.ring.stall.count()));
  items.push_back(fmt::format("provider '{}'", options.provider));
  items.push_back(fmt::format("frames {}", name_in(kFrameWayNames, options.frames)));
  items.push_back(fmt::format("on_loss {}", options.on_loss == OnLoss::go_on ? "go_on" : "fail"));
  items.push_back(fmt::format("unsafe_provider {}", options.unsafe_provider));
  items.push_back(fmt::format("suspect_after {} ms", options.suspect_after.count()));
}

Items items_of(const FabricInputs& inputs) {
  Items items{fmt::format("toroid {}", kVersion)};
  // Versions differ in the layout of shared memory and, as toroid sets them, in the limits that the
  // ends of a connection must have in common.
  items.push_back(library_name());
  items.push_back(inputs.places_itself ? "its own placement" : "a placement of the caller");
  add_shape(inputs.shape, items);
  add_machine(inputs.machine, items);
  add_routing(inputs.options.ring.routing, items);
  add_options(inputs.options, items);
  return items;
}

}  // namespace

void refuse_different(Job& job, const FabricInputs& mine) {
  job::refuse_different(job, items_of(mine), "all processes of a job must make the same fabric");
}

}  // namespace toroid::ofi
