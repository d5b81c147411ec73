#include "tools/files/output_format.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "hal/check.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 3> kMapEndings = {".map", ".mrc", ".ccp4"};
/// Formats of arrays and of compression that other programs write, and users expect by their names.
constexpr std::array<std::string_view, 20> kOtherEndings = {
    ".npz", ".gz",  ".bz2", ".xz",  ".zst",  ".zip", ".h5",  ".hdf5", ".nc",  ".txt",
    ".csv", ".tsv", ".raw", ".bin", ".json", ".tif", ".png", ".tiff", ".mat", ".mrcs"};

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace

OutputFormat output_format(const std::string& path) {
  const std::string ending = ending_of(path);
  if (std::ranges::find(kMapEndings, ending) != kMapEndings.end()) return OutputFormat::map;
  if (std::ranges::find(kOtherEndings, ending) != kOtherEndings.end())
    throw BadInput(
        fmt::format("cannot write {}: the ending {} names another format; expected .npy or, for a "
                    "map, .map, .mrc or .ccp4",
                    path, ending));
  return OutputFormat::npy;
}

}  // namespace toroid
