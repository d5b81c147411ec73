// Translates C++ exceptions into Python exceptions.
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "hal/check.hpp"
#include "tools/python/module.hpp"
#include "tools/run/embedding_program.hpp"

namespace py = pybind11;

namespace toroid::python {
namespace {

// Borrowed references: the module owns them and is never unloaded.
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

/// The exception, with its traceback, that a method of a policy raised; None if there is none.
py::object cause_of(const EmbeddingError& error) {
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

/// Whether the exception comes from Ctrl-C; such an exception is passed on unchanged. SystemExit is
/// not: sys.exit() in a policy must not end a program as if its run had succeeded.
bool is_interrupt(const py::object& cause) {
  return !cause.is_none() && PyObject_IsInstance(cause.ptr(), PyExc_KeyboardInterrupt) == 1;
}

void set(const EmbeddingError& error) {
  const py::object cause = cause_of(error);
  if (is_interrupt(cause)) {
    PyErr_SetObject(py::type::of(cause).ptr(), cause.ptr());
    return;
  }
  const py::object value = py::reinterpret_borrow<py::object>(policy_error)(error.what());
  value.attr("__cause__") = cause;
  PyErr_SetObject(policy_error, value.ptr());
}

/// Sets the Python exception for one of toroid's exceptions; returns false for any other exception.
bool set_ours(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const EmbeddingError& error) {
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
  std::rethrow_exception(failure);  // pybind11 translates all others
}

void add_errors(py::module_& module) {
  bad_input = exception(module, "BadInput", PyExc_ValueError,
                        "An argument cannot be used; the message says what was expected.");
  run_failed = exception(module, "RunFailed", PyExc_RuntimeError,
                         "The run itself failed, for example by a deadlock or a lost packet.");
  policy_error = exception(module, "PolicyError", run_failed,
                           "A policy written in Python raised an exception, which is the cause of "
                           "this one, or returned an invalid order, settings or relays.");
  py::register_exception_translator([](std::exception_ptr failure) {
    if (!set_ours(failure)) std::rethrow_exception(failure);
  });
}

}  // namespace toroid::python
