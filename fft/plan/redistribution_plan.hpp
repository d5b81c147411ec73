// Redistribution of a multidimensional array without a transform: plans that lead from any
// distribution to any other by one exchange of the whole machine.
//
//   const auto blueprint = fft::redistribution(rows, columns, shape);  // shared by all nodes
//   fft::Plan plan(node, blueprint);        // before the program's first await
//   co_await plan.forward(in, out);         // from `rows` to `columns`
//   co_await plan.backward(out, in);        // and back
//
// Source: U.S. Pat. No. 7,315,877, claims 19 to 33.
#pragma once

#include <memory>

#include "fft/layout/distribution.hpp"
#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "hal/shape.hpp"

namespace toroid::fft {

/// A blueprint whose forward leads from one distribution of an array to another, and backward from
/// that one back. Either may leave nodes without elements, and may have its axes in another order
/// in memory. Of `options` a redistribution heeds precision, real, first, may_leave_gaps,
/// times_packets, and layer; with may_leave_gaps what arrives is stored straight in the caller's
/// array, at the price of a barrier before every call. Throws BadInput where the two arrays differ.
/// REQUIRES: in each distribution every element belongs to exactly one node.
std::shared_ptr<const Blueprint> redistribution(const Distribution& from, const Distribution& to,
                                                const Shape& shape, Description options = {});

}  // namespace toroid::fft
