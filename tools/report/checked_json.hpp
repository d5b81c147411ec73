// Values of a user's JSON file, checked as they are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/text/json.hpp"

namespace toroid {

/// A value and its place in the file, such as "rows[3].links". All functions throw BadInput "FILE:
/// expected PLACE to be WHAT, not TYPE" if the value is something else.
class JsonPlace {
 public:
  /// `value` must outlive this object.
  JsonPlace(const Json& value, std::string file) : JsonPlace(value, std::move(file), "") {}

  JsonPlace at(const char* key) const;
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  /// A finite number of at least 0.
  double number() const;
  /// A finite number of either sign.
  double any_number() const;
  /// A whole number from `least` to `most`.
  std::uint64_t count(std::uint64_t least, std::uint64_t most) const;
  bool truth() const;
  std::string text() const;
  std::vector<JsonPlace> items() const;

  const Json& value() const { return *value_; }
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  JsonPlace(const Json& value, std::string file, std::string path)
      : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

  const Json* value_;
  std::string file_;
  std::string path_;  ///< e.g. "rows[3].links"; empty for the whole file
};

/// Reads and parses a file. Throws BadInput "FILE:LINE: expected JSON, ..." or "FILE: cannot be
/// read: REASON".
Json read_json(const std::string& path);
/// Parses the text of the file `path`.
Json parse_json(std::string_view text, const std::string& path);

}  // namespace toroid
