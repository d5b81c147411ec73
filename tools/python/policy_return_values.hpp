// Checks what the methods of a policy written in Python return.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"

// REQUIRES: the caller holds the interpreter's lock.
namespace toroid::python {

/// Converts the result of settings(). Throws BadInput with the wrong key and value.
PolicySettings settings_of(const pybind11::object& given);

/// Converts the result of order(). Throws BadInput unless it visits each other live node once.
SendOrder order_of(const Visitor& visitor, const pybind11::object& given);

/// Converts the result of relay() to a table with the index [source · size + destination]. Throws
/// BadInput with the row and column of a wrong entry.
std::vector<Rank> relays_of(const Shape& shape, const pybind11::object& given);

/// The same for the result of release(), in cycles.
std::vector<Tick> releases_of(const Shape& shape, const pybind11::object& given);

}  // namespace toroid::python
