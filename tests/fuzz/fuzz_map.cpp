// Every map that stored_map() accepts has as many elements as its shape says, the file contains all
// of them, and they stay as many when its axes are turned.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hal/check.hpp"
#include "tests/fuzz/readers.hpp"
#include "tools/files/density_map.hpp"
#include "tools/files/map_axes.hpp"
#include "tools/files/npy.hpp"

namespace toroid::fuzz::map {
namespace {

void try_input(const std::uint8_t* data, std::size_t size) {
  try {
    const StoredArray map = stored_map(std::as_bytes(std::span(data, size)));
    TOROID_CHECK_EQ(turned_to_xyz(map).data.size(), map.data.size());
    const NpyArray array = decoded(map);
    std::size_t elements = 1;
    for (const std::size_t extent : array.shape) elements *= extent;
    TOROID_CHECK_EQ(array.values.size(), elements);
    TOROID_CHECK_LE(1024 + elements, size);
  } catch (const BadInput& reason) {
    TOROID_CHECK(std::string(reason.what()).find('\n') == std::string::npos);
  }
}

const Reader kReader("map", try_input);

}  // namespace
}  // namespace toroid::fuzz::map
