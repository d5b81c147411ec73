#include "tools/transform/kinds_text.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "fft/plan/square_matrix.hpp"
#include "hal/check.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/npy.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

constexpr std::string_view kMatrixPrefix = "matrix:";

/// Reads the matrix from a file.
fft::AxisTransform matrix_of(const std::string& path) {
  if (path.empty())
    throw BadInput(fmt::format("--transform {0} needs a file, e.g. {0}M.npy", kMatrixPrefix));
  const NpyArray array = read_array(path);
  if (array.shape.size() != 2 || array.shape[0] != array.shape[1])
    throw BadInput(fmt::format("--transform {}{}: expected a square matrix, found an array of {}",
                               kMatrixPrefix, path, fmt::join(array.shape, "x")));
  return std::make_shared<const fft::SquareMatrix>(path, static_cast<std::int64_t>(array.shape[0]),
                                                   array.values);
}

fft::AxisTransform transform_of(const std::string& text) {
  if (text.starts_with(kMatrixPrefix)) return matrix_of(text.substr(kMatrixPrefix.size()));
  return parse_choice<fft::TransformKind>("transform", fft::kTransformKindNames, text);
}

}  // namespace

AxisTransforms kinds_of(const std::string& text) {
  AxisTransforms kinds{};
  std::size_t axis = 0;
  for (std::size_t begin = 0;; ++axis) {
    const std::size_t comma = text.find(',', begin);
    if (axis == kinds.size())
      throw BadInput(fmt::format("'{}' has more than {} transforms; expected one, or one per axis",
                                 text, kinds.size()));
    kinds[axis] = transform_of(text.substr(begin, comma - begin));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  if (axis == 0) kinds.fill(kinds[0]);
  return kinds;
}

void check_number_of_kinds(const std::string& text, std::size_t axes) {
  const auto names = static_cast<std::size_t>(std::ranges::count(text, ',')) + 1;
  if (names != 1 && names != axes)
    throw BadInput(
        fmt::format("'{}' has {} transforms for an array of {} axes; expected one, or "
                    "one per axis",
                    text, names, axes));
}

bool transforms_lines(const std::string& text) {
  return ("," + text + ",").find(",fft,") != std::string::npos;
}

}  // namespace toroid
