#include "tools/files/map_axes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/map_frame.hpp"
#include "tools/files/npy_elements.hpp"

namespace toroid {
namespace {

/// Numbers by axis: slowest, middle, fastest.
using ThreeAxes = std::array<std::size_t, 3>;

/// For Z, Y and X: which axis of the file it is; 0: sections, 1: rows, 2: columns.
ThreeAxes places_of(const std::array<std::int32_t, 3>& axes) {
  ThreeAxes places{};
  for (std::size_t field = 0; field < 3; ++field)
    places[3 - static_cast<std::size_t>(axes[field])] = 2 - field;
  return places;
}

ThreeAxes picked(const ThreeAxes& of, const ThreeAxes& places) {
  return {of[places[0]], of[places[1]], of[places[2]]};
}

/// Copies a volume to C order. The strides of `from` are in bytes.
void copy_volume(const std::byte* from, const ThreeAxes& strides, std::byte* to,
                 const ThreeAxes& extents, std::size_t size) {
  for (std::size_t z = 0; z < extents[0]; ++z)
    for (std::size_t y = 0; y < extents[1]; ++y)
      for (std::size_t x = 0; x < extents[2]; ++x, to += size)
        std::memcpy(to, from + z * strides[0] + y * strides[1] + x * strides[2], size);
}

/// The frame with the starts in the new order of the axes.
MapFrame turned(MapFrame frame, const ThreeAxes& places) {
  const std::array<std::int32_t, 3> starts = frame.start;
  for (std::size_t i = 0; i < 3; ++i) frame.start[2 - i] = starts[2 - places[i]];
  frame.axes = {1, 2, 3};
  return frame;
}

}  // namespace

StoredArray turned_to_xyz(const StoredArray& map) {
  TOROID_CHECK(map.frame != nullptr && !map.fortran_order);
  const ThreeAxes places = places_of(map.frame->axes);
  if (places == ThreeAxes{0, 1, 2}) return map;
  const std::size_t axes = map.shape.size();
  const ThreeAxes in_file = {axes > 2 ? map.shape[axes - 3] : 1, map.shape[axes - 2],
                             map.shape[axes - 1]};
  const ThreeAxes extents = picked(in_file, places);
  const std::size_t size = npy::format_of(map.dtype).size();
  const ThreeAxes strides =
      picked({in_file[1] * in_file[2] * size, in_file[2] * size, size}, places);
  const std::size_t volume = in_file[0] * in_file[1] * in_file[2] * size;
  std::vector<std::byte> bytes(map.data.size());
  for (std::size_t at = 0; at < bytes.size(); at += volume)
    copy_volume(map.data.data() + at, strides, bytes.data() + at, extents, size);
  StoredArray result{map.dtype, false, {extents.begin(), extents.end()}};
  if (axes == 2 && extents[0] == 1) result.shape.erase(result.shape.begin());
  if (axes == 4) result.shape.insert(result.shape.begin(), map.shape[0]);
  result.owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  result.data = *result.owner;
  result.frame = std::make_shared<const MapFrame>(turned(*map.frame, places));
  return result;
}

}  // namespace toroid
