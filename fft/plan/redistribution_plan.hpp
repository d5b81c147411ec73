// Redistribution of a multidimensional array without a transform: plans that lead from any
// distribution to any other in one exchange among all nodes.
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

/// A blueprint whose forward leads from distribution `from` to distribution `to`, and whose
/// backward leads back. Some nodes may hold no elements, and the axes may have any order in memory.
/// The only options it uses are precision, real, first, may_leave_gaps, times_packets and layer.
/// With may_leave_gaps, data is stored straight in the caller's array as it arrives, at the cost of
/// a barrier before every call. Throws BadInput if the extents of the two arrays differ, or if in a
/// distribution a box is not inside the array or the nodes do not hold as many elements as the
/// array has. REQUIRES: no two nodes hold the same element.
std::shared_ptr<const Blueprint> redistribution(const Distribution& from, const Distribution& to,
                                                const Shape& shape, Description options = {});

}  // namespace toroid::fft
