#include "tools/files/npz_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/npy_header.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/zip_archive.hpp"

namespace toroid {
namespace {

constexpr std::string_view kArrayEnding = ".npy";

bool is_array(const std::string& member) {
  return member.ends_with(kArrayEnding);
}

/// The array's name in NumPy: the member's name without its ending.
std::string array_name(std::string member) {
  if (member.ends_with(kArrayEnding)) member.resize(member.size() - kArrayEnding.size());
  return shortened(member);
}

std::string array_names(const std::vector<std::string>& members) {
  constexpr std::size_t kMostNames = 10;
  std::string names;
  for (std::size_t m = 0; m < std::min(members.size(), kMostNames); ++m)
    names += (m == 0 ? "" : ", ") + array_name(members[m]);
  return names + (members.size() > kMostNames ? ", ..." : "");
}

/// The index of the array called `name`; of the only array if `name` is empty.
std::size_t array_called(std::string_view name, const std::vector<std::string>& members) {
  std::vector<std::string> arrays;
  std::ranges::copy_if(members, std::back_inserter(arrays), is_array);
  if (arrays.empty())
    throw BadInput(
        fmt::format("holds no array, i.e. none of its {} members is a .npy file", members.size()));
  if (name.empty() && arrays.size() > 1)
    throw BadInput(fmt::format("holds {} arrays; name one of them, as in FILE.npz:NAME: {}",
                               arrays.size(), array_names(arrays)));
  const std::string member = name.empty() ? arrays[0] : std::string(name).append(kArrayEnding);
  const auto found = std::ranges::find(members, member);
  if (found == members.end())
    throw BadInput(
        fmt::format("holds no array '{}'; it holds {}", shortened(name), array_names(arrays)));
  return static_cast<std::size_t>(found - members.begin());
}

}  // namespace

StoredArray stored_npz(std::span<const std::byte> bytes, std::string_view name,
                       const Leniency& leniency) {
  if (!is_zip(bytes))
    throw BadInput("not an .npz archive: expected it to begin with the bytes 'P' 'K' 3 4");
  const ZipArchive archive(bytes);
  const std::vector<std::string> members = archive.names();
  const std::size_t member = array_called(name, members);
  return naming(fmt::format("array {}", array_name(members[member])), [&] {
    auto content = std::make_shared<const std::vector<std::byte>>(archive.content(member));
    StoredArray array = npy::stored(*content, leniency);
    array.owner = std::move(content);
    return array;
  });
}

}  // namespace toroid
