// What the methods of a policy written in Python have returned, checked.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"

// All are called with the interpreter's lock.
namespace toroid::python {

/// Of settings(). Throws BadInput that names key and value.
PolicySettings settings_of(const pybind11::object& given);

/// Of order(). Throws BadInput unless it visits each other live node once.
SendOrder order_of(const Visitor& visitor, const pybind11::object& given);

/// Of relay(): [source · size + destination]. Throws BadInput that names row and column.
std::vector<Rank> relays_of(const Shape& shape, const pybind11::object& given);

}  // namespace toroid::python
