// Converts a dict to the settings of nodes.
#include <fmt/core.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "hal/drain_rules.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "packet/node/settings.hpp"
#include "tools/python/policy_return_values.hpp"
#include "tools/python/whole_numbers.hpp"
#include "tools/text/spelling.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

template <typename T, std::size_t n>
T choice(const py::handle& value, std::string_view what,
         const std::array<std::string_view, n>& names) {
  return parse_choice<T>(what, names, py::cast<std::string>(py::str(value)));
}

template <typename T>
T within(const py::handle& value, const std::string& key, double least, double most) {
  const auto number = value.cast<T>();
  if (!(static_cast<double>(number) >= least && static_cast<double>(number) <= most))
    throw BadInput(fmt::format("{} must be a number from {} to {}", key, least, most));
  return number;
}

/// Throws BadInput for an unknown key or a wrong value, and pybind11's exception for a wrong type.
void set(PolicySettings& settings, const std::string& key, const py::handle& value) {
  if (key == "order")
    settings.order = choice<OrderRule>(value, "order", kOrderRuleNames);
  else if (key == "packets_per_visit")
    settings.packets_per_visit = within<std::uint32_t>(value, key, 1, kMostPackets);
  else if (key == "output_queues")
    settings.output_queues = within<unsigned>(value, key, 1, kMostQueues);
  else if (key == "queue_per_direction")
    settings.queue_per_direction = value.cast<bool>();
  else if (key == "queue_capacity")
    settings.queue_capacity = within<unsigned>(value, key, 1, kMostPackets);
  else if (key == "drain")
    settings.drain = choice<DrainRule>(value, "drain rule", kDrainRuleNames);
  else if (key == "tying")
    settings.tying = choice<FifoTying>(value, "tying", kFifoTyingNames);
  else if (key == "fifo_links")
    settings.tying = FifoLinks::parse(py::cast<std::string>(value));
  else if (key == "routing")
    settings.routing = choice<RoutingRule>(value, "routing", kRoutingRuleNames);
  else if (key == "tie")
    settings.tie = choice<TieRule>(value, "tie rule", kTieRuleNames);
  else if (key == "cycles_per_packet")
    settings.throttle.cycles_per_packet = within<double>(value, key, 0, kMostCyclesPerPacket);
  else if (key == "window")
    settings.throttle.window = within<std::uint32_t>(value, key, 0, kMostPackets);
  else
    throw BadInput(
        fmt::format("unknown setting '{}'; expected order, packets_per_visit, output_queues, "
                    "queue_per_direction, queue_capacity, drain, tying, fifo_links, routing, tie, "
                    "cycles_per_packet "
                    "or window",
                    key));
}

}  // namespace

PolicySettings settings_of(const py::object& given) {
  PolicySettings settings;
  if (given.is_none()) return settings;
  if (!py::hasattr(given, "keys"))
    throw BadInput(fmt::format("returned {}; expected a dict or None", type_name(given)));
  for (const auto& [key, value] : py::dict(given)) {
    const std::string name = py::str(key);
    try {
      set(settings, name, value);
    } catch (const py::cast_error&) {
      throw BadInput(fmt::format("{} cannot be {}", name, std::string(py::repr(value))));
    }
  }
  return settings;
}

}  // namespace toroid::python
