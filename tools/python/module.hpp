// What each file of this folder adds to the module `_toroid`.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "hal/machine.hpp"
#include "tools/files/array_io.hpp"

namespace toroid::python {

/// Exceptions BadInput, RunFailed and PolicyError.
void add_errors(pybind11::module_& module);
/// Sets the Python exception that stands for a C++ one and throws it on.
[[noreturn]] void raise(const std::exception_ptr& failure);

/// A machine and how it was asked for: a name or a file's path, by which a run asks for it again.
struct NamedMachine : Machine {
  std::string given;
};
/// The object that stands for a machine.
pybind11::object machine_object(const Machine& machine);

void add_shape(pybind11::module_& module);
void add_machine(pybind11::module_& module);
void add_bounds(pybind11::module_& module);
void add_run(pybind11::module_& module);

/// The input of a transform, read where it lies. REQUIRES: numbers of the host's byte order.
HostArray borrowed(const pybind11::array& array);
/// A transform's result as NumPy's, which owns the memory from now on.
pybind11::array array_of(HostArray result);

}  // namespace toroid::python
