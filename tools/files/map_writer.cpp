#include "tools/files/map_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <ios>
#include <limits>
#include <ostream>
#include <string>

#include "hal/check.hpp"
#include "hal/version.hpp"
#include "tools/files/map_header.hpp"

namespace toroid {
namespace {

constexpr std::size_t kLabelBytes = 80;
constexpr std::int32_t kFormatVersion = 20140;
constexpr std::int32_t kOneImage = 0, kOneVolume = 1, kVolumes = 401;  // values of ISPG

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

/// The extents of a map: columns, rows, and the sections of a volume and of all volumes.
struct MapExtents {
  std::int32_t columns;
  std::int32_t rows;
  std::int32_t sections_per_volume;
  std::int32_t sections;
};

std::int32_t extent_in_header(std::size_t extent) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (extent > kMost)
    throw RunFailed(fmt::format("an extent of {} does not fit a map; at most {}", extent, kMost));
  return static_cast<std::int32_t>(extent);
}

MapExtents extents_of(std::span<const std::size_t> shape) {
  const std::size_t axes = shape.size();
  const std::size_t sections = axes > 2 ? shape[axes - 3] : 1;
  const std::size_t volumes = axes > 3 ? shape[0] : 1;
  return {extent_in_header(shape[axes - 1]), extent_in_header(shape[axes - 2]),
          extent_in_header(sections), extent_in_header(volumes * sections)};
}

/// The frame of an array that comes from no map.
MapFrame usual_frame(const MapExtents& extents, std::size_t axes) {
  MapFrame frame;
  frame.intervals = {extents.columns, extents.rows, extents.sections_per_volume};
  std::ranges::transform(frame.intervals, frame.cell.begin(),
                         [](std::int32_t voxels) { return static_cast<float>(voxels); });
  frame.angles = {90, 90, 90};
  frame.axes = {1, 2, 3};
  frame.space_group = axes == 2 ? kOneImage : axes == 3 ? kOneVolume : kVolumes;
  return frame;
}

/// The header of a map, word by word.
class MapHeaderWriter {
 public:
  MapHeaderWriter() { bytes_.fill('\0'); }

  template <class Number>
  void put(MapField field, Number number) {
    static_assert(sizeof(Number) == 4);
    std::memcpy(bytes_.data() + offset_of(field), &number, sizeof number);
  }
  template <class Number>
  void put(MapField field, const std::array<Number, 3>& numbers) {
    static_assert(sizeof(Number) == 4);
    std::memcpy(bytes_.data() + offset_of(field), numbers.data(), sizeof numbers);
  }
  void put(MapField field, std::string_view text) {
    std::ranges::copy(text, bytes_.begin() + offset_of(field));
  }
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, kMapHeader> bytes_;
};

struct Statistics {
  // In these values, which contradict each other, MRC2014 sees that nothing is known.
  float least = 0;
  float most = -1;
  float mean = -2;
  float deviation = -1;  ///< root mean square from the mean
};

Statistics statistics_of(std::span<const float> numbers) {
  double least = HUGE_VAL, most = -HUGE_VAL, sum = 0, squares = 0;
  for (const float number : numbers) {
    if (!std::isfinite(number)) return {};
    least = std::min<double>(least, number);
    most = std::max<double>(most, number);
    sum += number;
  }
  const auto count = static_cast<double>(numbers.size());
  const double mean = sum / count;
  for (const float number : numbers) squares += (number - mean) * (number - mean);
  return {static_cast<float>(least), static_cast<float>(most), static_cast<float>(mean),
          static_cast<float>(std::sqrt(squares / count))};
}

void put_frame(MapHeaderWriter& header, const MapFrame& frame) {
  header.put(MapField::NXSTART, frame.start);
  header.put(MapField::MX, frame.intervals);
  header.put(MapField::CELLA, frame.cell);
  header.put(MapField::CELLB, frame.angles);
  header.put(MapField::MAPC, frame.axes);
  header.put(MapField::ISPG, frame.space_group);
  header.put(MapField::ORIGIN, frame.origin);
}

void put_statistics(MapHeaderWriter& header, const Statistics& statistics) {
  header.put(MapField::DMIN, statistics.least);
  header.put(MapField::DMAX, statistics.most);
  header.put(MapField::DMEAN, statistics.mean);
  header.put(MapField::RMS, statistics.deviation);
}

void put_format(MapHeaderWriter& header) {
  using namespace std::string_view_literals;
  header.put(MapField::NVERSION, kFormatVersion);
  header.put(MapField::MAP, "MAP "sv);
  header.put(MapField::MACHST, "\x44\x44\0\0"sv);
  std::string label = fmt::format("toroid {}", kVersion);
  label.resize(kLabelBytes, ' ');
  header.put(MapField::NLABL, std::int32_t{1});
  header.put(MapField::LABEL, std::string_view(label));
}

}  // namespace

void check_map_axes(std::string_view name, std::size_t axes) {
  if (axes < 2 || axes > 4)
    throw BadInput(
        fmt::format("{}: a map has 2 to 4 axes, and this array has {}; write .npy", name, axes));
}

void write_map(std::ostream& out, std::span<const std::size_t> shape,
               std::span<const float> numbers, MapNumbers kind, const MapFrame* kept) {
  TOROID_CHECK(shape.size() >= 2 && shape.size() <= 4);
  const MapExtents extents = extents_of(shape);
  MapFrame frame = kept == nullptr ? usual_frame(extents, shape.size()) : *kept;
  // In a stack, the volumes are as long as MZ says.
  if (is_stack_of_volumes(frame.space_group)) frame.intervals[2] = extents.sections_per_volume;
  MapHeaderWriter header;
  header.put(MapField::NX, std::array{extents.columns, extents.rows, extents.sections});
  header.put(MapField::MODE, std::int32_t{kind == MapNumbers::real ? 2 : 4});
  put_frame(header, frame);
  put_statistics(header, kind == MapNumbers::real ? statistics_of(numbers) : Statistics());
  put_format(header);
  out.write(header.bytes().data(), static_cast<std::streamsize>(header.bytes().size()));
  out.write(reinterpret_cast<const char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size_bytes()));
}

}  // namespace toroid
