#include "tools/files/npz_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/npy/file.hpp"
#include "tools/files/npy/header.hpp"
#include "tools/files/zip_archive.hpp"

namespace toroid {
namespace {

constexpr std::string_view kArrayEnding = ".npy";

/// The array's name in NumPy: the member's name without its ending.
std::string array_name(const ZipMember& member) {
  std::string name = member.name;
  if (name.ends_with(kArrayEnding)) name.resize(name.size() - kArrayEnding.size());
  return shortened(name);
}

std::string array_names(const std::vector<ZipMember>& members) {
  constexpr std::size_t kMostNames = 10;
  std::string names;
  for (std::size_t m = 0; m < std::min(members.size(), kMostNames); ++m)
    names += (m == 0 ? "" : ", ") + array_name(members[m]);
  return names + (members.size() > kMostNames ? ", ..." : "");
}

}  // namespace

StoredArray stored_npz(std::span<const std::byte> bytes) {
  if (!is_zip(bytes))
    throw BadInput("not an .npz archive: expected it to begin with the bytes 'P' 'K' 3 4");
  std::vector<ZipMember> arrays = zip_members(bytes);
  const std::size_t members = arrays.size();
  std::erase_if(arrays, [](const ZipMember& m) { return !m.name.ends_with(kArrayEnding); });
  if (arrays.empty())
    throw BadInput(
        fmt::format("holds no array, i.e. none of its {} members is a .npy file", members));
  if (arrays.size() > 1)
    throw BadInput(
        fmt::format("holds {} arrays; expected one: {}", arrays.size(), array_names(arrays)));
  return npy::naming(fmt::format("array {}", array_name(arrays[0])), [&] {
    auto content = std::make_shared<const std::vector<std::byte>>(zip_content(bytes, arrays[0]));
    StoredArray array = npy::stored(*content);
    array.owner = std::move(content);
    return array;
  });
}

}  // namespace toroid
