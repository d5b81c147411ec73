// A table of text in columns as wide as they need to be.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tools/json.hpp"

namespace toroid {

/// A number with so many decimals.
inline std::string fixed_text(double number, int digits) {
  return fmt::format("{:.{}f}", number, digits);
}

/// Likewise of a row's figure; "-" where nobody has counted it.
std::string figure_text(const Json& figure);
std::string figure_text(const Json& figure, int digits);

class TextTable {
 public:
  /// The first `names` columns stand to the left, all others, numbers, to the right.
  TextTable(std::vector<std::string> header, std::size_t names)
      : names_(names), lines_{std::move(header)} {}

  /// Fewer cells than the header: the last one runs on over the rest of the line.
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<std::size_t> widths() const;

  std::size_t names_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace toroid
