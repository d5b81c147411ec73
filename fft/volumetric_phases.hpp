// The phases of the volumetric FFT on a given grid: what is exchanged when, and which axes are
// transformed.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fft/local_transform.hpp"
#include "fft/redistribution.hpp"

namespace toroid {

/// A set of the array's axes.
using Axes = std::array<bool, 3>;

/// An exchange, if any, and then transforms of whole lines where they are.
struct VolumetricPhase {
  std::string_view name;             ///< its axes, or "return"
  std::optional<Exchange> exchange;  ///< none: every line of these axes is whole on some node
  Distribution distribution;         ///< after the exchange
  Axes axes;                         ///< transformed; none: the return
};

/// Axes that the grid does not split come first, all at once and without an exchange. Then one
/// phase for each split axis, z before y before x. With `return_to_blocks` a last exchange, if
/// there was any, puts the result into the input's layout.
std::vector<VolumetricPhase> volumetric_phases(const ProcessGrid& grid, bool return_to_blocks);

/// What a transform of these axes asks for, in place.
LocalShape local_shape(const NodeLayout& layout, const Index& size, const Axes& axes);
/// From one array to another. REQUIRES: both layouts have the same single box.
LocalShape local_shape(const NodeLayout& in, const NodeLayout& out, const Axes& axes);

/// Cycles that the transforms of some axes of so many elements take.
Tick transform_cycles(const Machine& machine, std::int64_t elements, const Index& size,
                      const Axes& axes);

}  // namespace toroid
