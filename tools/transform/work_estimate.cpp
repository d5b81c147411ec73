#include "tools/transform/work_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "fft/plan/description.hpp"
#include "hal/packet.hpp"
#include "packet/exchange/group.hpp"

namespace toroid {
namespace {

/// The number of packets of one exchange. What a node keeps for itself needs no packets.
double packets_of_exchange(const fft::Blueprint& blueprint, const fft::StageExchange& exchange,
                           double elements) {
  const double nodes = blueprint.shape().size();
  const double others = exchange.group(blueprint.shape(), 0).size() - 1.0;
  const double bytes = elements * blueprint.bytes(false) / nodes / (others + 1);
  return nodes * others * std::ceil(bytes / kPayloadBytes);
}

}  // namespace

RunWork transform_work(const fft::Blueprint& blueprint) {
  const double points = blueprint.points();
  const double elements = points * static_cast<double>(blueprint.description().batch);
  RunWork work;
  for (const fft::StageExchange& exchange : blueprint.exchanges())
    work += group_work(blueprint.shape(), exchange.first, exchange.last,
                       packets_of_exchange(blueprint, exchange, elements));
  for (const fft::Stage& stage : blueprint.stages()) {
    if (!stage.is_orbital) continue;
    constexpr double kOperands = 2;  // of the three operands, two are sent on in every step
    const double steps = std::cbrt(blueprint.shape().size());
    const double packets = kOperands * steps * elements * blueprint.bytes(false) / kPayloadBytes;
    work += {packets, packets, 0};
  }
  work.compute_flops = 5 * elements * std::log2(std::max(2.0, points));  // the usual count
  return work;
}

}  // namespace toroid
