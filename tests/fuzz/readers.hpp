// The readers to fuzz, by name. Each source fuzz_NAME.cpp has one reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace toroid::fuzz {

/// Tries an input. A failed check, a sanitizer or an unexpected exception ends the program.
using TryInput = void (*)(const std::uint8_t* data, std::size_t size);

/// All readers of this program.
inline std::map<std::string_view, TryInput>& readers() {
  static std::map<std::string_view, TryInput> all;
  return all;
}

/// A static object that registers a reader before main().
struct Reader {
  Reader(std::string_view name, TryInput try_input) { readers().emplace(name, try_input); }
};

/// Returns the reader of this name, or null if there is none.
inline TryInput find_reader(std::string_view name) {
  const auto found = readers().find(name);
  return found == readers().end() ? nullptr : found->second;
}

/// All names, separated by blanks.
inline std::string reader_names() {
  std::string names;
  for (const auto& [name, try_input] : readers())
    names.append(names.empty() ? "" : " ").append(name);
  return names;
}

}  // namespace toroid::fuzz
