// parse_array() turns an archive or a gzip file into an array with as many elements as its shape
// says, or refuses it with a message of one line.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hal/check.hpp"
#include "tests/fuzz/readers.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/npy.hpp"

namespace toroid::fuzz::npz {
namespace {

void try_input(const std::uint8_t* data, std::size_t size) {
  try {
    const auto array = parse_array(std::as_bytes(std::span(data, size)), "input");
    std::size_t elements = 1;
    for (const std::size_t extent : array.shape) elements *= extent;
    TOROID_CHECK_EQ(array.values.size(), elements);
  } catch (const BadInput& reason) {
    TOROID_CHECK(std::string(reason.what()).find('\n') == std::string::npos);
  }
}

const Reader kReader("npz", try_input);

}  // namespace
}  // namespace toroid::fuzz::npz
