#include "tools/text/json.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>

#include "hal/parse_number.hpp"

namespace toroid {
namespace {

/// The number as JSON. A whole number becomes an integer, so that it is written without ".0".
Json plain_json(double number) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  const double plain = plain_number(number);
  if (std::trunc(plain) != plain || std::abs(plain) > kMostExact) return plain;
  return static_cast<std::int64_t>(plain);
}

void make_plain(Json& json) {
  if (json.is_number_float()) json = plain_json(json.get<double>());
  if (json.is_structured())
    for (Json& part : json) make_plain(part);
}

}  // namespace

double plain_number(double number) {
  constexpr double kRoundingErrors = 1e-15;  // relative; about four units in the last place
  if (!std::isfinite(number)) return number;
  const double plain = *parse_number<double>(fmt::format("{:.11e}", number));  // 12 digits
  return std::abs(plain - number) <= kRoundingErrors * std::abs(number) ? plain : number;
}

Json with_plain_numbers(Json json) {
  make_plain(json);
  return json;
}

}  // namespace toroid
