// Whole arrays on the host: where transforms get their input and leave their output.
#pragma once

#include <string>
#include <vector>

#include "fft/volumetric_fft.hpp"
#include "tools/output_file.hpp"

namespace toroid {

struct HostArray {
  Index size{};
  std::vector<Complex> values;  ///< C order
};

/// "64x64x64", or "64" for a cube. Throws BadInput.
Index parse_size(const std::string& text);
/// A three-dimensional .npy. Throws BadInput.
HostArray load_array(const std::string& path);
/// Seeded noise, uniform in [0, 1) x [0, 1)i.
HostArray random_array(const Index& size, std::uint64_t seed);

/// Copies between the whole array and one node's local part.
void take_part(const HostArray& whole, const NodeLayout& layout, std::span<Complex> part);
void put_part(HostArray& whole, const NodeLayout& layout, std::span<const Complex> part);

struct ArrayError {
  double max = 0;  ///< largest |a - b|
  double l2 = 0;   ///< |a - b| / |b|, both in the Euclidean norm
};
ArrayError compare(std::span<const Complex> a, std::span<const Complex> b);

}  // namespace toroid
