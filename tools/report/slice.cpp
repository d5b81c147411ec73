#include "tools/report/slice.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "tools/report/deflate_base64.hpp"

namespace toroid {

Json Slice::to_json() const {
  Json json = {{"kind", kind},
               {"axis", axis},
               {"index", index},
               {"where", where},
               {"rows", rows},
               {"columns", columns},
               {"width", width},
               {"height", height},
               {"min", min},
               {"max", max},
               {"log", log},
               {"unit", unit},
               {"block", block},
               {"pixels", pack_bytes(pixels)},
               {"first_row", first_row},
               {"row_count", row_count},
               {"first_column", first_column},
               {"column_count", column_count}};
  if (block > 1) json["reduced_by"] = reduced_by;
  return json;
}

Slice Slice::from_json(const JsonPlace& place) {
  constexpr std::uint64_t kLongestAxis = std::uint64_t{1} << 40;
  Slice slice;
  slice.kind = place.at("kind").text();
  if (slice.kind != "density" && slice.kind != "spectrum" && slice.kind != "potential")
    place.at("kind").refuse("density, spectrum or potential");
  slice.axis = static_cast<unsigned>(place.at("axis").count(0, 2));
  slice.index = place.at("index").count(0, kLongestAxis);
  slice.where = place.at("where").text();
  slice.rows = place.at("rows").text();
  slice.columns = place.at("columns").text();
  slice.width = place.at("width").count(1, kMostPixels);
  slice.height = place.at("height").count(1, kMostPixels);
  slice.min = place.at("min").any_number();
  slice.max = place.at("max").any_number();
  slice.log = place.at("log").truth();
  slice.unit = place.at("unit").text();
  slice.block = place.at("block").count(1, kLongestAxis);
  slice.row_count = place.at("row_count").count(1, kLongestAxis);
  slice.column_count = place.at("column_count").count(1, kLongestAxis);
  slice.first_row = static_cast<std::int64_t>(place.at("first_row").any_number());
  slice.first_column = static_cast<std::int64_t>(place.at("first_column").any_number());
  if (slice.block > 1) slice.reduced_by = place.at("reduced_by").text();
  const JsonPlace packed = place.at("pixels");
  const std::size_t pixels = slice.width * slice.height;
  std::optional<std::vector<std::uint8_t>> bytes = unpack_bytes(packed.text(), pixels);
  if (!bytes) packed.refuse(fmt::format("{} packed values", pixels));
  slice.pixels = *std::move(bytes);
  return slice;
}

}  // namespace toroid
