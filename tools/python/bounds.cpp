// Lower bounds on time for Python.
#include "hal/bounds.hpp"

#include <pybind11/pybind11.h>

#include <cstdint>

#include "hal/shape.hpp"
#include "tools/python/module.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

py::dict bounds_of(const Shape& shape, std::uint64_t bytes, const NamedMachine& machine) {
  const Bounds bounds = all_to_all_bounds(machine, shape, message_cost(machine, bytes));
  py::dict made;
  made["hottest_link"] = bounds.hottest_link;
  made["injection"] = bounds.injection;
  made["processor"] = bounds.processor;
  made["zero_load"] = bounds.zero_load;
  made["cycles"] = bounds.max();
  made["seconds"] = static_cast<double>(bounds.max()) / machine.clock_hz;
  return made;
}

}  // namespace

void add_bounds(py::module_& module) {
  module.def("all_to_all_bounds", &bounds_of, py::arg("shape"), py::arg("bytes"),
             py::arg("machine"));
  module.def(
      "hottest_link_messages",
      [](const Shape& shape) { return hottest_link_messages(shape).value(); }, py::arg("shape"));
  module.def(
      "message_cost",
      [](const NamedMachine& machine, std::uint64_t bytes) {
        const MessageCost cost = message_cost(machine, bytes);
        return py::make_tuple(cost.packets, cost.wire_bytes);
      },
      py::arg("machine"), py::arg("bytes"));
  module.def(
      "diameter", [](const Shape& shape) { return diameter(shape); }, py::arg("shape"));
  module.def(
      "usable_links", [](const Shape& shape) { return usable_links(shape); }, py::arg("shape"));
}

}  // namespace toroid::python
