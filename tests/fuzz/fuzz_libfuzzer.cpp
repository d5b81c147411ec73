// What libFuzzer calls: the reader that TOROID_FUZZ_READER names.
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
  fmt::print(stderr, "TOROID_FUZZ_READER names none of the readers: {}\n",
             toroid::fuzz::reader_names());
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen(data, size);
  return 0;
}
