#include "fft/volumetric_phases.hpp"

namespace toroid {
namespace {

constexpr std::string_view name_of(const Axes& axes) {
  constexpr std::array<std::string_view, 8> kNames = {"return", "z",  "y",  "yz",
                                                      "x",      "xz", "xy", "xyz"};
  return kNames[unsigned{axes[0]} * 4 + unsigned{axes[1]} * 2 + unsigned{axes[2]}];
}

Axes only(unsigned axis) {
  Axes axes{};
  axes[axis] = true;
  return axes;
}

/// From lines along one axis to lines along another, both somewhere in the span of grid axes that
/// the nodes of the group differ in.
VolumetricPhase line_phase(Distribution from, unsigned last_axis, unsigned axis) {
  const Exchange exchange{from, lines_along(axis), axis, last_axis};
  return {name_of(only(axis)), exchange, exchange.to, only(axis)};
}

}  // namespace

std::vector<VolumetricPhase> volumetric_phases(const ProcessGrid& grid, bool return_to_blocks) {
  std::vector<VolumetricPhase> phases;
  Axes whole{};
  for (unsigned axis = 0; axis < 3; ++axis) whole[axis] = grid.extent(axis) == 1;
  if (whole != Axes{})
    phases.push_back({name_of(whole), std::nullopt, Distribution::blocks, whole});
  Distribution from = Distribution::blocks;
  std::optional<unsigned> lines;  // the axis that they lie along
  for (unsigned axis = 3; axis-- > 0;) {
    if (whole[axis]) continue;
    phases.push_back(line_phase(from, lines.value_or(axis), axis));
    from = lines_along(axis);
    lines = axis;
  }
  if (return_to_blocks && lines) {
    const Exchange exchange{from, Distribution::blocks, *lines, *lines};
    phases.push_back({name_of({}), exchange, exchange.to, {}});
  }
  return phases;
}

LocalShape local_shape(const NodeLayout& in, const NodeLayout& out, const Axes& axes) {
  CHECK_EQ(in.boxes().size(), 1u);
  LocalShape shape{{}, &in == &out};
  for (unsigned axis = 0; axis < 3; ++axis)
    shape.axes[axis] = {in.boxes()[0].length(axis), in.stride(axis), out.stride(axis), axes[axis]};
  return shape;
}

/// Of several boxes the lines stand one behind the other, whatever they belong to.
LocalShape local_shape(const NodeLayout& layout, const Index& size, const Axes& axes) {
  if (layout.boxes().size() == 1) return local_shape(layout, layout, axes);
  LocalShape shape;
  const std::int64_t length = size[layout.axis_order()[2]];
  shape.axes[0] = {length, 1, 1, true};
  shape.axes[1] = {layout.size() / length, length, length, false};
  return shape;
}

Tick transform_cycles(const Machine& machine, std::int64_t elements, const Index& size,
                      const Axes& axes) {
  Tick cycles = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto length = static_cast<std::uint64_t>(size[axis]);
    if (axes[axis])
      cycles +=
          static_cast<std::uint64_t>(elements) / length * machine.line_transform_cycles(length);
  }
  return cycles;
}

}  // namespace toroid
