// The entry points for libFuzzer: they run the reader named by TOROID_FUZZ_READER.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/readers.hpp"

namespace {

toroid::fuzz::TryInput chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const name = std::getenv("TOROID_FUZZ_READER");
  chosen = toroid::fuzz::find_reader(name != nullptr ? name : "");
  if (chosen != nullptr) return 0;
  fmt::print(stderr, "TOROID_FUZZ_READER: unknown reader; expected one of: {}\n",
             toroid::fuzz::reader_names());
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen(data, size);
  return 0;
}
