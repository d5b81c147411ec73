#include "tools/python/whole_numbers.hpp"

namespace py = pybind11;

namespace toroid::python {

std::optional<WholeNumbers> whole_numbers(const py::object& given) {
  const auto array = py::array::ensure(given);
  if (!array) PyErr_Clear();
  if (!array) return std::nullopt;
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u' && array.size() > 0) return std::nullopt;
  return WholeNumbers{array, array};
}

std::string type_name(const py::object& given) {
  return py::str(py::type::of(given).attr("__name__"));
}

}  // namespace toroid::python
