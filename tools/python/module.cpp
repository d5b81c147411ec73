// The module `_toroid`: the C++ part of the Python package `toroid`.
#include "tools/python/module.hpp"

#include "tools/text/version.hpp"

PYBIND11_MODULE(_toroid, module) {
  module.doc() = "The C++ part of the package toroid.";
  module.attr("__version__") = toroid::kVersion;
  module.attr("git_hash") = toroid::kGitHash;
  toroid::python::add_errors(module);
  toroid::python::add_shape(module);
  toroid::python::add_machine(module);
  toroid::python::add_bounds(module);
  toroid::python::add_run(module);
  toroid::python::add_plan(module);
}
