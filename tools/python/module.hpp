// Functions that add the contents of this folder's files to the module `_toroid`.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "hal/machine.hpp"
#include "tools/files/host_array.hpp"

namespace toroid::python {

/// Exceptions BadInput, RunFailed and PolicyError.
void add_errors(pybind11::module_& module);
/// Throws the Python exception that corresponds to a C++ exception.
[[noreturn]] void raise(const std::exception_ptr& failure);

/// A machine with the name or path from which it was loaded. A run loads it from there again.
struct NamedMachine : Machine {
  std::string given;
};
/// The Python object for a machine.
pybind11::object machine_object(const Machine& machine);

void add_shape(pybind11::module_& module);
void add_machine(pybind11::module_& module);
void add_bounds(pybind11::module_& module);
void add_run(pybind11::module_& module);
void add_plan(pybind11::module_& module);

/// The input of a transform, used without a copy. If it is `batched`, its first axis counts the
/// arrays of a batch. REQUIRES: numbers in the host's byte order.
HostArray borrowed(const pybind11::array& array, bool batched);
/// A transform's result as a NumPy array, which takes ownership of the memory.
pybind11::array array_of(HostArray result);

}  // namespace toroid::python
