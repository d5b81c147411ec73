#include "fft/plan/redistribution_plan.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "hal/check.hpp"

namespace toroid::fft {
namespace {

/// One side of the exchange. Nothing is computed there.
Stage side(const char* name, const Distribution& distribution, bool real) {
  return {.name = name,
          .in = distribution,
          .out = distribution,
          .real_in = real,
          .real_out = real,
          .same_distribution = true};
}

/// `name`: "from" or "to". Time is proportional to the number of nodes, so it is not checked
/// whether an element belongs to two nodes while another belongs to none.
void check_held(const char* name, const Distribution& distribution, const Shape& shape) {
  if (!distribution.layout)
    throw BadInput(fmt::format("distribution '{}' has no layout; expected a function", name));
  const Box all = Box::of(distribution.extents);
  std::int64_t held = 0;
  for (Rank node = 0; node < shape.size(); ++node) {
    const NodeLayout part = distribution.layout(node);
    for (const Box& box : part.boxes())
      if (intersect(box, all) != box)
        throw BadInput(
            fmt::format("in distribution '{}', node {} holds {}, which is not inside "
                        "the array",
                        name, node, text_of(box)));
    held += part.size();
    if (held > all.volume()) break;
  }
  if (held != all.volume())
    throw BadInput(
        fmt::format("in distribution '{}', the nodes hold {} elements; expected {}, "
                    "each on one node",
                    name, held, all.volume()));
}

}  // namespace

std::shared_ptr<const Blueprint> redistribution(const Distribution& from, const Distribution& to,
                                                const Shape& shape, Description options) {
  if (from.extents != to.extents)
    throw BadInput(fmt::format("cannot redistribute an array of {} as one of {}",
                               fmt::join(std::span(from.extents).first(kMaxAxes), "x"),
                               fmt::join(std::span(to.extents).first(kMaxAxes), "x")));
  check_extents(from.extents);
  check_held("from", from, shape);
  check_held("to", to, shape);
  if (options.size.empty())
    options.size.assign(from.extents.begin(), from.extents.begin() + kMaxAxes);
  options.batch = from.extents[kBatchAxis];
  Stages stages;
  stages.stages = {side("from", from, options.real), side("to", to, options.real)};
  stages.exchanges = {{0, shape.dims(), {}, {}}};
  return std::make_shared<const Blueprint>(options, shape, std::move(stages));
}

}  // namespace toroid::fft
