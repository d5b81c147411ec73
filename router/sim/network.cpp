#include "router/sim/network.hpp"

#include "router/sim/general_network.hpp"
#include "router/sim/lean/lean_network.hpp"

namespace toroid::sim {

std::unique_ptr<Network> make_network(const Shape& shape, const Machine& machine,
                                      const RoutingOptions& options, Range block,
                                      FlightMemory& store, SimProbe* probe) {
  if (!options.general && LeanNetwork::serves(shape, machine, options, probe))
    return std::make_unique<LeanNetwork>(shape, machine, options, block, store);
  return std::make_unique<GeneralNetwork>(shape, machine, options, block, store, probe);
}

}  // namespace toroid::sim
