// Writes a built-in policy as data: a TOML file, and what of it can be a table as tables.
#pragma once

#include <cstdint>
#include <string>

#include "hal/shape.hpp"

namespace toroid {

struct PolicyExport {
  std::string policy;     ///< a built-in one, perhaps with a parameter
  std::string directory;  ///< where the files go; empty: the current one
  std::uint64_t seed = 1;
};

/// Writes NAME.toml, NAME-order.npy where the order is the same in all rounds, and NAME-relays.npy
/// where relays follow from source and destination alone. A run by the file is that by the policy.
/// Returns a line for each file. Throws BadInput where there is no such policy or no such place.
std::string export_policy(const PolicyExport& options, const Shape& shape);

}  // namespace toroid
