// The class Machine of Python.
#include "hal/machine.hpp"

#include <fmt/core.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <variant>

#include "tools/files/machine_file.hpp"
#include "tools/python/module.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

py::object number_of(const Machine& machine, const MachineField& field) {
  const double value = value_of(machine, field);
  if (std::holds_alternative<unsigned Machine::*>(field.member))
    return py::int_(static_cast<std::int64_t>(value));
  return py::float_(value);
}

NamedMachine loaded(const std::string& given) {
  return {load_machine(given), given};
}

}  // namespace

py::object machine_object(const Machine& machine) {
  return py::cast(NamedMachine{machine, machine.name});
}

void add_machine(py::module_& module) {
  py::class_<NamedMachine> machine(module, "Machine",
                                   R"(The hardware parameters of an emulated machine.

The attributes are the keys of a machine file; cycles are cycles of the processor's clock. Functions
that take the name of a machine also take a Machine.

>>> import toroid
>>> toroid.Machine("bgl").link_bits_per_cycle
2.0
)");
  machine.def(py::init(&loaded), py::arg("name") = "bgl",
              "Load a built-in machine or a machine file.");
  machine.def_readonly("name", &NamedMachine::name);
  machine.def_readonly("given", &NamedMachine::given,
                       "The constructor's argument: a name or a file's path.");
  machine.def("__repr__", [](const NamedMachine& one) {
    return fmt::format("toroid.Machine('{}')", one.given);
  });
  machine.def(py::pickle([](const NamedMachine& one) { return py::str(one.given); },
                         [](const py::str& given) { return loaded(given); }));
  for (const MachineField& field : machine_fields())
    machine.def_property_readonly(
        std::string(field.key).c_str(),
        [&field](const NamedMachine& one) { return number_of(one, field); },
        fmt::format("{} ({})", field.meaning, field.unit).c_str());
}

}  // namespace toroid::python
