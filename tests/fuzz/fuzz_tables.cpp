// A policy table can be used in a run, or is refused with a message of one line. Input: one byte
// that selects a shape, one byte that selects the kind of table, then the .npy file.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/options/policy_tables.hpp"

namespace toroid::fuzz::tables {
namespace {

const Shape& shape_of(std::uint8_t selector) {
  static const std::array kShapes = {Shape::parse("1"), Shape::parse("3"), Shape::parse("2x2"),
                                     Shape::parse("2mx3"), Shape::parse("8x4@YX4")};
  return kShapes[selector % kShapes.size()];
}

PolicyTableFiles files_of(std::uint8_t kind, const std::string& path) {
  PolicyTableFiles files;
  (kind % 3 == 0 ? files.order : kind % 3 == 1 ? files.relays : files.release) = path;
  return files;
}

/// Reads every value and checks that it lies within the machine.
void use(const PolicyTables& tables) {
  const Rank nodes = tables.shape().size();
  for (Rank from = 0; from < nodes; ++from) {
    if (tables.has_order())
      for (const Rank to : tables.order(from)) TOROID_CHECK(to < nodes && to != from);
    for (Rank to = 0; to < nodes && tables.has_relays(); ++to)
      TOROID_CHECK_LT(tables.relay(from, to), nodes);
    for (Rank to = 0; to < nodes && tables.has_releases(); ++to) (void)tables.release(from, to);
  }
}

void try_input(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  if (size < 2) return;
  file.set(data + 2, size - 2);
  read_or_refuse(
      [&] { use(PolicyTables(shape_of(data[0]), files_of(data[1], file.path().string()))); });
}

const Reader kReader("tables", try_input);

}  // namespace
}  // namespace toroid::fuzz::tables
