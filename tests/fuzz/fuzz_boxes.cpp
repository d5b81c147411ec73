// Boxes that parse_boxes() accepts contain every element of the array exactly once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fft/layout/box.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/files/box_file.hpp"
#include "tools/files/host_array.hpp"

namespace toroid::fuzz::boxes {
namespace {

const Size kSize{9, 6};
constexpr Rank kNodes = 4;

bool holds(const fft::Box& box, std::int64_t row, std::int64_t column) {
  return box.lo[0] <= row && row < box.hi[0] && box.lo[1] <= column && column < box.hi[1];
}

void check_partition(const std::vector<fft::Box>& boxes) {
  TOROID_CHECK_EQ(boxes.size(), kNodes);
  for (std::int64_t row = 0; row < kSize[0]; ++row)
    for (std::int64_t column = 0; column < kSize[1]; ++column)
      TOROID_CHECK_EQ(std::ranges::count_if(
                          boxes, [&](const fft::Box& box) { return holds(box, row, column); }),
                      1);
}

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    check_partition(parse_boxes(text, "input", kSize, kNodes));
  });
}

const Reader kReader("boxes", try_input);

}  // namespace
}  // namespace toroid::fuzz::boxes
