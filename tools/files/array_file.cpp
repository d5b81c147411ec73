#include "tools/files/array_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/density_map.hpp"
#include "tools/files/gunzip.hpp"
#include "tools/files/leniency.hpp"
#include "tools/files/map_axes.hpp"
#include "tools/files/npy_header.hpp"
#include "tools/files/npz_file.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/zip_archive.hpp"

namespace toroid {
namespace {

using FileBytes = std::span<const std::byte>;

/// Reads a file of a format with one array per file.
template <StoredArray (*read)(FileBytes, const Leniency&)>
StoredArray only(FileBytes bytes, std::string_view array, const Leniency& leniency) {
  if (!array.empty())
    throw BadInput(fmt::format("is no .npz archive, so it has no array '{}'", shortened(array)));
  return read(bytes, leniency);
}

struct ArrayFormat {
  bool (*begins)(FileBytes);
  StoredArray (*find)(FileBytes, std::string_view array, const Leniency& leniency);
  std::array<std::string_view, 4> endings;  ///< file name endings in lower case; "" if unused
};

constexpr std::array<ArrayFormat, 3> kArrayFormats = {
    {{is_npy, only<npy::stored>, {".npy"}},
     {is_zip, stored_npz, {".npz"}},
     {is_map, only<stored_map>, {".map", ".mrc", ".mrcs", ".ccp4"}}}};

const ArrayFormat* format_of_content(FileBytes bytes) {
  const auto* const found = std::ranges::find_if(
      kArrayFormats, [bytes](const ArrayFormat& format) { return format.begins(bytes); });
  return found == kArrayFormats.end() ? nullptr : found;
}

bool may_hold_an_array(FileBytes bytes) {
  return is_gzip(bytes) || format_of_content(bytes) != nullptr;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

const ArrayFormat* format_of_name(std::string_view name) {
  std::string lower = lower_case(name);
  if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
  for (const ArrayFormat& format : kArrayFormats)
    for (const std::string_view ending : format.endings)
      if (!ending.empty() && lower.ends_with(ending)) return &format;
  return nullptr;
}

StoredArray array_in(FileBytes bytes, const ArrayPlace& place, const Leniency& leniency) {
  if (const ArrayFormat* const format = format_of_content(bytes))
    return format->find(bytes, place.array, leniency);
  if (const ArrayFormat* const missed = format_of_name(place.file))
    return missed->find(bytes, place.array, leniency);
  throw BadInput(
      "unknown array format; expected a NumPy .npy file, an .npz archive or an MRC/CCP4 map (with "
      "'MAP ' at byte 208)");
}

/// The array owns its memory, unless it refers to `bytes`.
StoredArray unpacked_array_in(FileBytes bytes, const ArrayPlace& place, const Leniency& leniency) {
  if (!is_gzip(bytes)) return array_in(bytes, place, leniency);
  auto unpacked = std::make_shared<const std::vector<std::byte>>(gunzipped(bytes, leniency));
  StoredArray array = array_in(*unpacked, place, leniency);
  if (array.owner == nullptr) array.owner = std::move(unpacked);
  return array;
}

StoredArray with_axes_turned(const StoredArray& array) {
  if (array.frame == nullptr)
    throw BadInput("is no map, so it does not say which axes are X, Y and Z; omit --xyz");
  return turned_to_xyz(array);
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == kStandardStream ? "standard input" : path;
}

NpyArray parse_array(std::span<const std::byte> bytes, std::string_view name) {
  return naming(name, [&] {
    return decoded(unpacked_array_in(bytes, {std::string(name), {}}, {}));
  });
}

ArrayPlace place_of(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) return {path, {}};
  const std::string lower = lower_case(path);
  for (const std::string_view archive : {".npz:", ".npz.gz:", "-:"}) {
    const std::size_t end = lower.find(archive) + archive.size();
    const bool is_found = lower.find(archive) != std::string::npos && end < path.size();
    if (is_found && (archive != "-:" || end == archive.size()))
      return {path.substr(0, end - 1), path.substr(end)};
  }
  return {path, {}};
}

StoredArray read_stored_array(const std::string& path, const ReadingRules& rules) {
  const ArrayPlace place = place_of(path);
  const Leniency leniency(rules.permissive, input_name(place.file));
  return naming(input_name(place.file), [&] {
    auto bytes = std::make_shared<const std::vector<std::byte>>(
        place.file == kStandardStream ? read_standard_input(may_hold_an_array)
                                      : read_bytes(place.file, may_hold_an_array));
    StoredArray array = unpacked_array_in(*bytes, place, leniency);
    if (array.owner == nullptr) array.owner = std::move(bytes);
    return rules.turns_axes ? with_axes_turned(array) : array;
  });
}

NpyArray read_array(const std::string& path) {
  const StoredArray stored = read_stored_array(path);
  return naming(input_name(path), [&] { return decoded(stored); });
}

}  // namespace toroid
