// Whole numbers from Python: ranks, and tables of them.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace toroid::python {

/// An array of whole numbers of any integer type. Needs the interpreter's lock.
struct WholeNumbers {
  pybind11::array given;
  /// Numbers beyond the range of int64 wrap around and become negative.
  pybind11::array_t<std::int64_t, pybind11::array::c_style | pybind11::array::forcecast> values;

  std::size_t size() const { return static_cast<std::size_t>(values.size()); }
  const std::int64_t* data() const { return values.data(); }
  /// An element as Python shows it.
  std::string shown(std::size_t i) const { return pybind11::str(given.attr("item")(i)); }
};

/// Returns nullopt unless `given` is a whole number, an array of whole numbers or an empty array.
std::optional<WholeNumbers> whole_numbers(const pybind11::object& given);

/// The name of an object's type, for messages.
std::string type_name(const pybind11::object& given);

}  // namespace toroid::python
