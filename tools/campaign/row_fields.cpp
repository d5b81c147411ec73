#include "tools/campaign/row_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/check.hpp"
#include "tools/campaign/case.hpp"

namespace toroid {
namespace {

enum class FieldKind : std::uint8_t { count, number, text, flag };

/// The place of a field in a row, as "links/max_load": '*' is any name, '#' any index of a list.
struct FieldRule {
  std::string_view place;
  FieldKind kind;
};

/// The first rule that fits a place, or a place below it, decides.
constexpr std::array kFieldRules = {
    FieldRule{"error", FieldKind::text},
    FieldRule{"time_s", FieldKind::number},
    FieldRule{"wall_s", FieldKind::number},
    FieldRule{"bound_s", FieldKind::number},
    FieldRule{"cycles", FieldKind::count},
    FieldRule{"bound_cycles", FieldKind::count},
    FieldRule{"bound_by", FieldKind::text},
    FieldRule{"percent_of_bound", FieldKind::number},
    FieldRule{"percent_of_peak", FieldKind::number},
    FieldRule{"packets", FieldKind::count},
    FieldRule{"packet_hops", FieldKind::count},
    FieldRule{"packet_length", FieldKind::number},
    FieldRule{"mean_hops", FieldKind::number},
    FieldRule{"accepted_rate", FieldKind::number},
    FieldRule{"result_hash", FieldKind::text},
    FieldRule{"generated", FieldKind::number},
    FieldRule{"accepted", FieldKind::number},
    FieldRule{"zero_load", FieldKind::number},
    FieldRule{"window", FieldKind::count},
    FieldRule{"saturated", FieldKind::flag},
    FieldRule{"links/unsound/#", FieldKind::text},
    FieldRule{"links/failed/#", FieldKind::text},
    FieldRule{"links/*", FieldKind::number},
    FieldRule{"latency/*", FieldKind::number},
    FieldRule{"latency_s/*", FieldKind::number},
    FieldRule{"fifos/most_chunks", FieldKind::count},
    FieldRule{"fifos/stalled_percent", FieldKind::number},
    FieldRule{"fifos/stalled_cycles/#", FieldKind::number},
    FieldRule{"profile/drain/stuck_on/*", FieldKind::count},
    FieldRule{"profile/drain/*", FieldKind::count},
    FieldRule{"profile/fill/*", FieldKind::count},
    FieldRule{"exchanges/#/name", FieldKind::text},
    FieldRule{"exchanges/#/bound_by", FieldKind::text},
    FieldRule{"exchanges/#/*", FieldKind::number},
};

constexpr std::string_view kNeeded[] = {"time_s"};
constexpr std::string_view kNeededOfLoads[] = {"time_s", "generated", "accepted", "saturated"};

std::string_view text_of_kind(FieldKind kind) {
  switch (kind) {
    case FieldKind::count:
      return "a whole number from 0 on";
    case FieldKind::number:
      return "a number";
    case FieldKind::text:
      return "a text";
    case FieldKind::flag:
      return "true or false";
  }
  return "";
}

bool is_of(const Json& value, FieldKind kind) {
  if (kind == FieldKind::text) return value.is_string();
  if (kind == FieldKind::flag) return value.is_boolean();
  if (value.is_null()) return true;
  return kind == FieldKind::count ? value.is_number_unsigned() : value.is_number();
}

/// Takes the part before the first '/' off a place.
std::string_view take_part(std::string_view& place) {
  const std::size_t end = std::min(place.find('/'), place.size());
  const std::string_view part = place.substr(0, end);
  place.remove_prefix(std::min(end + 1, place.size()));
  return part;
}

enum class Fit : std::uint8_t { none, above, exact };

/// How a rule's place stands to a field's: elsewhere, below it, or the same.
Fit fit(std::string_view rule, std::string_view place) {
  while (!place.empty()) {
    if (rule.empty()) return Fit::none;
    const std::string_view wanted = take_part(rule);
    const std::string_view part = take_part(place);
    if (wanted != part && wanted != "*" && wanted != "#") return Fit::none;
  }
  return rule.empty() ? Fit::exact : Fit::above;
}

/// What is left of a rule's place below a field's.
std::string_view rule_below(std::string_view rule, std::string_view place) {
  for (; !place.empty(); take_part(place)) take_part(rule);
  return rule;
}

std::string text_of_value(const Json& value) {
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string wrong_at(const Json& value, const std::string& place);

std::string wrong_below(const Json& value, const std::string& place, bool is_list) {
  if (is_list ? !value.is_array() : !value.is_object())
    return fmt::format("{} is {}, expected {}", place, text_of_value(value),
                       is_list ? "a list" : "an object");
  for (const auto& [name, member] : value.items())
    if (std::string wrong = wrong_at(member, fmt::format("{}/{}", place, shortened(name)));
        !wrong.empty())
      return wrong;
  return {};
}

/// What is wrong at a place or below; empty: nothing.
std::string wrong_at(const Json& value, const std::string& place) {
  for (const FieldRule& rule : kFieldRules) {
    const Fit how = fit(rule.place, place);
    if (how == Fit::none) continue;
    if (how == Fit::above)
      return wrong_below(value, place, rule_below(rule.place, place).starts_with('#'));
    if (is_of(value, rule.kind)) return {};
    return fmt::format("{} is {}, expected {}", place, text_of_value(value),
                       text_of_kind(rule.kind));
  }
  return {};
}

std::string missing_of(const Json& row, std::span<const std::string_view> needed) {
  for (const std::string_view name : needed)
    if (!row.contains(name) || row[name].is_null()) return fmt::format("{} is missing", name);
  return {};
}

}  // namespace

std::string wrong_field(std::string_view key, const Json& row) {
  for (const char* of_case : kCaseKeys)
    if (row.contains(of_case)) return fmt::format("{} is the case's, no figure of a row", of_case);
  for (const auto& [name, value] : row.items())
    if (std::string wrong = wrong_at(value, name); !wrong.empty()) return wrong;
  if (row.contains("error")) return {};
  const bool is_of_load = key.find("\"offered\":") != std::string_view::npos;
  return is_of_load ? missing_of(row, kNeededOfLoads) : missing_of(row, kNeeded);
}

}  // namespace toroid
