// A checkpoint file has a correct checksum or is refused with a message of one line. Each input is
// tried as it is, and again with a correct length and checksum appended, so that its state is read.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/files/checkpoint_file.hpp"

namespace toroid::fuzz::checkpoint {
namespace {

void read_state(const MemoryFile& file) {
  read_or_refuse([&] {
    CheckpointReader reader(file.path().string());
    std::vector<std::uint64_t> numbers;
    std::vector<std::vector<std::uint16_t>> nested;
    std::map<std::uint32_t, std::uint8_t> pairs;
    reader(numbers, nested, pairs);
    reader.mark(7);
  });
}

/// The input followed by its length in bytes and its checksum.
std::vector<std::uint8_t> completed(const std::uint8_t* data, std::uint64_t size) {
  std::vector<std::uint8_t> file(data, data + size);
  file.resize(size + sizeof size);
  std::memcpy(file.data() + size, &size, sizeof size);
  const auto sum = static_cast<std::uint32_t>(::crc32_z(0, data, size));
  file.resize(file.size() + sizeof sum);
  std::memcpy(file.data() + size + sizeof size, &sum, sizeof sum);
  return file;
}

void try_input(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  file.set(data, size);
  read_state(file);
  const std::vector<std::uint8_t> whole = completed(data, size);
  file.set(whole.data(), whole.size());
  read_state(file);
}

const Reader kReader("checkpoint", try_input);

}  // namespace
}  // namespace toroid::fuzz::checkpoint
