// An array that parse_npy() accepts is the same, bit by bit, after write_npy() and parse_npy().
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>

#include "hal/check.hpp"
#include "tests/fuzz/readers.hpp"
#include "tools/files/npy.hpp"

namespace toroid::fuzz::npy {
namespace {

void check_round_trip(const NpyArray& array, bool fortran_order) {
  std::ostringstream out;
  write_npy(out, array.shape, array.values, NpyType::c16, fortran_order);
  const std::string file = out.str();
  const NpyArray again = parse_npy(std::as_bytes(std::span(file)), "written");
  TOROID_CHECK(again.shape == array.shape);
  TOROID_CHECK_EQ(again.dtype, "<c16");
  // Compares bytes, because a NaN is not equal to itself.
  TOROID_CHECK(std::ranges::equal(std::as_bytes(std::span(again.values)),
                                  std::as_bytes(std::span(array.values))));
}

void try_input(const std::uint8_t* data, std::size_t size) {
  try {
    const auto array = parse_npy(std::as_bytes(std::span(data, size)), "input");
    check_round_trip(array, false);
    check_round_trip(array, true);
  } catch (const BadInput& reason) {
    TOROID_CHECK(std::string(reason.what()).find('\n') == std::string::npos);
  }
}

const Reader kReader("npy", try_input);

}  // namespace
}  // namespace toroid::fuzz::npy
