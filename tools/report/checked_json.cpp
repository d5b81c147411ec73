#include "tools/report/checked_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "hal/check.hpp"
#include "tools/files/read_file.hpp"

namespace toroid {

JsonPlace JsonPlace::at(const char* key) const {
  if (!value_->is_object()) refuse("an object");
  const auto found = value_->find(key);
  static const Json kMissing;
  return {found == value_->end() ? kMissing : *found, file_,
          path_.empty() ? key : path_ + "." + key};
}

double JsonPlace::number() const {
  if (!value_->is_number()) refuse("a number");
  const auto number = value_->get<double>();
  if (!std::isfinite(number) || number < 0) refuse("a finite number of at least 0");
  return number;
}

double JsonPlace::any_number() const {
  if (!value_->is_number()) refuse("a number");
  const auto number = value_->get<double>();
  if (!std::isfinite(number)) refuse("a finite number");
  return number;
}

std::uint64_t JsonPlace::count(std::uint64_t least, std::uint64_t most) const {
  const bool fits = value_->is_number_unsigned() && value_->get<std::uint64_t>() >= least &&
                    value_->get<std::uint64_t>() <= most;
  if (!fits) refuse(fmt::format("a whole number from {} to {}", least, most));
  return value_->get<std::uint64_t>();
}

bool JsonPlace::truth() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) refuse("a text");
  return value_->get<std::string>();
}

std::vector<JsonPlace> JsonPlace::items() const {
  if (!value_->is_array()) refuse("an array");
  std::vector<JsonPlace> items;
  for (std::size_t i = 0; i < value_->size(); ++i)
    items.push_back({(*value_)[i], file_, fmt::format("{}[{}]", path_, i)});
  return items;
}

void JsonPlace::refuse(const std::string& expected) const {
  const std::string what = path_.empty() ? "the file" : path_;
  throw BadInput(one_line(fmt::format("{}: expected {} to be {}, not {}", file_, what, expected,
                                      value_->is_null() ? "missing" : value_->type_name())));
}

Json read_json(const std::string& path) {
  constexpr std::size_t kLongest = std::size_t{256} << 20;  // bytes; data of a device may not end
  return parse_json(read_text(path, kLongest), path);
}

Json parse_json(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    throw BadInput(one_line(fmt::format("{}:{}: expected JSON, as --json and --record write it",
                                        path, 1 + std::ranges::count(before, '\n'))));
  } catch (const Json::out_of_range&) {
    throw BadInput(path + ": expected numbers of at most 1.8e308");
  }
}

}  // namespace toroid
