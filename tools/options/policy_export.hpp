// Writes a built-in policy as data: a TOML file and tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/shape.hpp"

namespace toroid {

struct PolicyExport {
  std::string policy;     ///< name of a built-in policy, with or without a parameter
  std::string directory;  ///< output directory; empty if the current one
  std::uint64_t seed = 1;
};

/// Writes NAME.toml, NAME-order.npy if the order is the same in all rounds, and NAME-relays.npy if
/// relays depend only on source and destination. For several shapes, NAME.toml names the tables of
/// all, and the names of their files have the shape: NAME-4x4-order.npy. A run under the exported
/// policy gives the same result as a run under the built-in one with the same seed. All
/// files appear together at the end, or none if one of them cannot be written. Returns a line of
/// text for each file, which says so if it replaces an earlier one. Throws BadInput if the policy
/// does not exist or does not support a shape, if a shape is there twice, or if the directory
/// cannot be created. REQUIRES: at least one shape.
std::string export_policy(const PolicyExport& options, const std::vector<Shape>& shapes);

}  // namespace toroid
