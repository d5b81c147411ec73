// Failures of the libraries as exceptions of Python.
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "hal/check.hpp"
#include "tools/python/module.hpp"
#include "tools/run/host_program.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

// Borrowed from the module, which is never unloaded.
PyObject* bad_input = nullptr;
PyObject* run_failed = nullptr;
PyObject* policy_error = nullptr;

PyObject* exception(py::module_& module, const char* name, PyObject* base, const char* text) {
  const std::string whole = std::string("toroid.") + name;
  PyObject* const type = PyErr_NewExceptionWithDoc(whole.c_str(), text, base, nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.attr(name) = py::reinterpret_borrow<py::object>(type);
  return type;
}

/// The exception that `order()` and its kind have raised, with its traceback; None: there is none.
py::object cause_of(const HostError& error) {
  if (!error.cause()) return py::none();
  try {
    std::rethrow_exception(error.cause());
  } catch (const py::error_already_set& raised) {
    py::object value = raised.value();
    if (raised.trace()) PyException_SetTraceback(value.ptr(), raised.trace().ptr());
    return value;
  } catch (...) {
    return py::none();
  }
}

/// What ends a program, as KeyboardInterrupt does, stays what it is.
bool ends_program(const py::object& cause) {
  return !cause.is_none() && PyObject_IsInstance(cause.ptr(), PyExc_Exception) == 0;
}

void set(const HostError& error) {
  const py::object cause = cause_of(error);
  if (ends_program(cause)) {
    PyErr_SetObject(py::type::of(cause).ptr(), cause.ptr());
    return;
  }
  const py::object value = py::reinterpret_borrow<py::object>(policy_error)(error.what());
  value.attr("__cause__") = cause;
  PyErr_SetObject(policy_error, value.ptr());
}

/// Sets the exception for one of ours; false: it is another's.
bool set_ours(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const HostError& error) {
    set(error);
  } catch (const BadInput& error) {
    PyErr_SetString(bad_input, one_line(error.what()).c_str());
  } catch (const RunFailed& error) {
    PyErr_SetString(run_failed, error.what());
  } catch (...) {
    return false;
  }
  return true;
}

}  // namespace

void raise(const std::exception_ptr& failure) {
  if (set_ours(failure)) throw py::error_already_set();
  std::rethrow_exception(failure);  // pybind11 knows what stands for the others
}

void add_errors(py::module_& module) {
  bad_input =
      exception(module, "BadInput", PyExc_ValueError,
                "Something that was given cannot be used; one line says what was expected.");
  run_failed = exception(module, "RunFailed", PyExc_RuntimeError,
                         "The run itself failed, as by a deadlock or a lost packet.");
  policy_error = exception(module, "PolicyError", run_failed,
                           "A policy written in Python has raised an exception, which is the cause "
                           "of this one, or has given what is no order, no settings or no relays.");
  py::register_exception_translator([](std::exception_ptr failure) {
    if (!set_ours(failure)) std::rethrow_exception(failure);
  });
}

}  // namespace toroid::python
