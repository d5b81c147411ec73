#include "fft/plan/redistribution_plan.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <span>
#include <utility>

#include "fft/layout/box.hpp"
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

}  // namespace

std::shared_ptr<const Blueprint> redistribution(const Distribution& from, const Distribution& to,
                                                const Shape& shape, Description options) {
  if (from.extents != to.extents)
    throw BadInput(fmt::format("cannot redistribute an array of {} as one of {}",
                               fmt::join(std::span(from.extents).first(kMaxAxes), "x"),
                               fmt::join(std::span(to.extents).first(kMaxAxes), "x")));
  if (options.size.empty())
    options.size.assign(from.extents.begin(), from.extents.begin() + kMaxAxes);
  options.batch = from.extents[kBatchAxis];
  Stages stages;
  stages.stages = {side("from", from, options.real), side("to", to, options.real)};
  stages.exchanges = {{0, shape.dims(), {}, {}}};
  return std::make_shared<const Blueprint>(options, shape, std::move(stages));
}

}  // namespace toroid::fft
