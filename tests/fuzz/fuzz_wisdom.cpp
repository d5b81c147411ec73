// A wisdom file is loaded, or refused with a message of one line; loaded wisdom is written as a
// file that can be loaded.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fft/kernels/kernel.hpp"
#include "hal/check.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"

namespace toroid::fuzz::wisdom {
namespace {

void try_input(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  fft::local::forget_wisdom();
  file.set(data, size);
  read_or_refuse([&] {
    if (!fft::local::load_wisdom(file.path())) return;
    const std::string written = fft::local::wisdom();
    fft::local::forget_wisdom();
    file.set(reinterpret_cast<const std::uint8_t*>(written.data()), written.size());
    TOROID_CHECK(fft::local::load_wisdom(file.path()));
    TOROID_CHECK_EQ(fft::local::wisdom().size(), written.size());
  });
}

const Reader kReader("wisdom", try_input);

}  // namespace
}  // namespace toroid::fuzz::wisdom
