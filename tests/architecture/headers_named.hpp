// The headers that a file of the project names.
#pragma once

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace toroid::testing {

/// Matches the name of a header, as its first group.
inline const std::string kHeaderName = "((?:hal|router|packet|fft)/[a-z_/]+\\.hpp)";

/// The headers that a file names. The first group of the regular expression matches a header.
inline std::set<std::string> headers_named(const std::string& file, const std::string& pattern) {
  std::ifstream text(std::filesystem::path(TOROID_SOURCE_DIR) / file);
  std::set<std::string> headers;
  const std::regex header(pattern);
  for (std::string line; std::getline(text, line);)
    for (std::sregex_iterator found(line.begin(), line.end(), header), end; found != end; ++found)
      if (!line.starts_with("#")) headers.insert((*found)[1]);
  return headers;
}

inline std::set<std::string> public_headers() {
  return headers_named("tools/cmake/public_headers.cmake", kHeaderName);
}

}  // namespace toroid::testing
