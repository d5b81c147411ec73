#include "tools/report/flowchart_json.hpp"

#include <cstdint>

#include "hal/direction.hpp"

namespace toroid {
namespace {

Json fill_json(const FillProfile& fill) {
  return {{"rounds", fill.rounds},
          {"visits", fill.visits},
          {"empty_visits", fill.empty_visits},
          {"packets", fill.packets},
          {"descriptors", fill.descriptors},
          {"stops", fill.stops},
          {"held_back", fill.held_back}};
}

Json drain_json(const DrainProfile& drain, const Shape& shape) {
  Json stuck_on = Json::object();
  for (std::uint8_t d = 0; d < shape.links(); ++d)
    stuck_on[Direction{d}.name()] = drain.stuck_on[d];
  return {{"turns", drain.turns},
          {"idle_turns", drain.idle_turns},
          {"full_turns", drain.full_turns},
          {"stuck_turns", drain.stuck_turns},
          {"heads", drain.heads()},
          {"packets", drain.packets},
          {"stuck_heads", drain.stuck_heads},
          {"stuck_on", stuck_on},
          {"skipped_queues", drain.skipped_queues},
          {"mean_queued",
           drain.turns == 0 ? 0.0
                            : static_cast<double>(drain.queued) / static_cast<double>(drain.turns)},
          {"most_queued", drain.most_queued}};
}

}  // namespace

Json profile_json(const FlowchartProfile& profile, const Shape& shape) {
  return {{"fill", fill_json(profile.fill)}, {"drain", drain_json(profile.drain, shape)}};
}

}  // namespace toroid
