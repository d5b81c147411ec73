#include "tools/files/density_map.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/map_frame.hpp"
#include "tools/files/map_header.hpp"
#include "tools/files/npy_elements.hpp"
#include "tools/files/npy_header.hpp"

namespace toroid {
namespace {

const MapMode* find_mode(std::int32_t mode) {
  const auto* const found = std::ranges::find(kMapModes, mode, &MapMode::mode);
  return found == kMapModes.end() ? nullptr : found;
}

std::array<std::byte, 4> word_at(std::span<const std::byte> bytes, MapField field) {
  std::array<std::byte, 4> word;
  std::memcpy(word.data(), bytes.data() + offset_of(field), word.size());
  return word;
}

std::int32_t number_of(std::array<std::byte, 4> word, bool big_endian) {
  if (big_endian != (std::endian::native == std::endian::big)) std::ranges::reverse(word);
  return std::bit_cast<std::int32_t>(word);
}

std::string hexadecimal(std::array<std::byte, 4> word) {
  std::string text;
  for (const std::byte byte : word)
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<unsigned>(byte));
  return text;
}

/// Whether mode and axes are known in this byte order.
bool is_plausible(std::span<const std::byte> bytes, bool big_endian) {
  const auto number = [&](MapField field) { return number_of(word_at(bytes, field), big_endian); };
  const auto is_axis = [&](MapField field) { return number(field) >= 0 && number(field) <= 3; };
  return find_mode(number(MapField::MODE)) != nullptr && is_axis(MapField::MAPC) &&
         is_axis(MapField::MAPR) && is_axis(MapField::MAPS) && number(MapField::NX) < 1 << 24;
}

/// The byte order that the machine stamp names; none if it names none. Only its first two bytes
/// count, one for floats and one for integers; 44 41 is an old form of little endian.
std::optional<bool> stamped_big_endian(std::span<const std::byte> bytes) {
  const std::array<std::byte, 4> stamp = word_at(bytes, MapField::MACHST);
  const std::string_view text(reinterpret_cast<const char*>(stamp.data()), 2);
  if (text == "\x44\x44" || text == "\x44\x41") return false;
  if (text == "\x11\x11") return true;
  return {};
}

/// The byte order that the machine stamp names or, if another stamp is excused, the order in which
/// the header is plausible.
bool is_big_endian(std::span<const std::byte> bytes, const Leniency& leniency) {
  const std::optional<bool> stamped = stamped_big_endian(bytes);
  const bool little = is_plausible(bytes, false), big = is_plausible(bytes, true);
  const bool only_other = stamped && (*stamped ? little && !big : big && !little);
  if (stamped && !(only_other && leniency.is_permissive())) return *stamped;
  leniency.excuse(
      fmt::format("field MACHST, the machine stamp in word 54, is {}; expected 44 44 or 44 41 "
                  "(little-endian) or 11 11 (big-endian) in its first two bytes{}",
                  hexadecimal(word_at(bytes, MapField::MACHST)),
                  stamped ? ", and the order in which the header makes sense" : ""));
  return big && !little;
}

/// A header whose mark and machine stamp are valid.
class MapHeader {
 public:
  MapHeader(std::span<const std::byte> bytes, const Leniency& leniency) {
    if (!is_map(bytes)) excuse_mark(bytes, leniency);
    if (bytes.size() < kMapHeader)
      throw BadInput(
          fmt::format("header truncated: expected {} bytes, found {}", kMapHeader, bytes.size()));
    big_endian_ = is_big_endian(bytes, leniency);
    bytes_ = bytes.first(kMapHeader);
  }

  std::int32_t operator[](MapField field) const {
    return number_of(word_at(bytes_, field), big_endian_);
  }
  /// The three words of a field.
  std::array<std::int32_t, 3> three(MapField field) const {
    const auto word = [&](std::size_t i) {
      return (*this)[static_cast<MapField>(static_cast<std::size_t>(field) + i)];
    };
    return {word(0), word(1), word(2)};
  }
  std::array<float, 3> three_reals(MapField field) const {
    const std::array<std::int32_t, 3> words = three(field);
    return {std::bit_cast<float>(words[0]), std::bit_cast<float>(words[1]),
            std::bit_cast<float>(words[2])};
  }

  const MapMode& mode() const {
    const std::int32_t mode = (*this)[MapField::MODE];
    if (const MapMode* const found = find_mode(mode)) return *found;
    const std::int32_t turned = number_of(word_at(bytes_, MapField::MODE), !big_endian_);
    if (find_mode(turned) != nullptr)
      throw BadInput(
          fmt::format("field MACHST says {}, which makes field MODE {}; in the other "
                      "byte order it is {}",
                      big_endian_ ? "big-endian" : "little-endian", mode, turned));
    throw BadInput(
        fmt::format("field MODE is {}{}; expected 0 (int8), 1 (int16), 2 (float32), "
                    "4 (complex64), 6 (uint16) or 12 (float16)",
                    mode, remark(mode)));
  }

  /// The dtype as NumPy names it.
  std::string dtype() const {
    const std::string_view code = has_unsigned_bytes() ? "u1" : mode().code;
    const char order = code.back() == '1' ? '|' : big_endian_ ? '>' : '<';
    return order + std::string(code);
  }

 private:
  float real(MapField field) const { return std::bit_cast<float>((*this)[field]); }

  /// Bytes are signed since MRC2014. IMOD writes unsigned ones too, and says so by its stamp and a
  /// flag; older programs wrote them without any sign but the largest value.
  bool has_unsigned_bytes() const {
    constexpr std::int32_t kImod = 1146047817;  // "IMOD"
    constexpr std::int32_t kSigned = 1;
    if (mode().mode != 0) return false;
    if ((*this)[MapField::IMOD_STAMP] == kImod)
      return ((*this)[MapField::IMOD_FLAGS] & kSigned) == 0;
    return real(MapField::DMIN) >= 0 && real(MapField::DMAX) > 127;
  }

  static void excuse_mark(std::span<const std::byte> bytes, const Leniency& leniency) {
    if (bytes.size() < offset_of(MapField::MACHST))
      throw BadInput(fmt::format("not an MRC/CCP4 map: expected a header of {} bytes, found {}",
                                 kMapHeader, bytes.size()));
    leniency.excuse(fmt::format(
        "not an MRC/CCP4 map: field MAP in word 53 is {}; expected 'MAP ' (4d 41 50 20)",
        hexadecimal(word_at(bytes, MapField::MAP))));
  }
  static std::string_view remark(std::int32_t mode) {
    return mode == 3 ? " (complex int16)" : mode == 101 ? " (4 bits per element)" : "";
  }

  std::span<const std::byte> bytes_;
  bool big_endian_ = false;
};

std::size_t extent_of(const MapHeader& header, MapField field, std::string_view name) {
  const std::int32_t extent = header[field];
  if (extent < 1) throw BadInput(fmt::format("field {} is {}; expected 1 or more", name, extent));
  return static_cast<std::size_t>(extent);
}

/// MAPC, MAPR and MAPS. If they are all 0, which means that they are not set, or if `leniency`
/// excuses that they are not 1, 2 and 3 in some order, they count as 1, 2, 3.
std::array<std::int32_t, 3> axes_of(const MapHeader& header, const Leniency& leniency) {
  constexpr std::array<std::int32_t, 3> kUsual = {1, 2, 3};
  const std::array<std::int32_t, 3> axes = header.three(MapField::MAPC);
  if (std::ranges::is_permutation(axes, kUsual)) return axes;
  if (axes == std::array<std::int32_t, 3>{})
    leniency.note("fields MAPC, MAPR, MAPS are 0, 0, 0; they count as 1, 2, 3");
  else
    leniency.excuse(fmt::format("fields MAPC, MAPR, MAPS are {}; expected 1, 2 and 3 in some order",
                                fmt::join(axes, ", ")),
                    "as 1, 2, 3");
  return kUsual;
}

MapFrame frame_of(const MapHeader& header, const Leniency& leniency) {
  return {.start = header.three(MapField::NXSTART),
          .intervals = header.three(MapField::MX),
          .cell = header.three_reals(MapField::CELLA),
          .angles = header.three_reals(MapField::CELLB),
          .axes = axes_of(header, leniency),
          .origin = header.three_reals(MapField::ORIGIN),
          .space_group = header[MapField::ISPG]};
}

std::vector<std::size_t> shape_of_map(const MapHeader& header) {
  const std::size_t nx = extent_of(header, MapField::NX, "NX");
  const std::size_t ny = extent_of(header, MapField::NY, "NY");
  const std::size_t nz = extent_of(header, MapField::NZ, "NZ");
  if (header[MapField::ISPG] == 0 && nz == 1) return {ny, nx};
  if (!is_stack_of_volumes(header[MapField::ISPG])) return {nz, ny, nx};
  const std::size_t mz = extent_of(header, MapField::MZ, "MZ");
  if (nz % mz != 0)
    throw BadInput(
        fmt::format("field MZ is {}; expected a divisor of NZ = {} in a stack of volumes (ISPG {})",
                    mz, nz, header[MapField::ISPG]));
  return {nz / mz, mz, ny, nx};
}

/// The elements after the extended header. Throws BadInput if their size contradicts the extents;
/// `leniency` may excuse bytes after them.
std::span<const std::byte> elements_of(std::span<const std::byte> bytes, const MapHeader& header,
                                       std::span<const std::size_t> shape,
                                       const Leniency& leniency) {
  const std::size_t after = bytes.size() - kMapHeader;
  const std::int32_t extended = header[MapField::NSYMBT];
  if (extended < 0 || static_cast<std::size_t>(extended) > after)
    throw BadInput(
        fmt::format("field NSYMBT, the size of the extended header, is {}; the file has "
                    "{} bytes after its header",
                    extended, after));
  const std::span<const std::byte> data =
      bytes.subspan(kMapHeader + static_cast<std::size_t>(extended));
  const std::size_t item = npy::format_of(header.dtype()).size();
  double expected = static_cast<double>(item);
  for (const std::size_t extent : shape) expected *= static_cast<double>(extent);
  const auto found = static_cast<double>(data.size());
  const std::string sizes = fmt::format(
      ": fields NZ, NY, NX = {}, {}, {} and MODE {} need {:.0f} bytes of elements, found {}",
      header[MapField::NZ], header[MapField::NY], header[MapField::NX], header[MapField::MODE],
      expected, data.size());
  if (found < expected) throw BadInput("data truncated" + sizes);
  if (found > expected) leniency.excuse("trailing bytes after the data" + sizes);
  return data.first(static_cast<std::size_t>(expected));
}

}  // namespace

bool is_map(std::span<const std::byte> bytes) {
  constexpr std::size_t at = offset_of(MapField::MAP);
  if (bytes.size() <= at + kMapMark.size()) return false;
  const auto last = std::to_integer<char>(bytes[at + kMapMark.size()]);
  return std::memcmp(bytes.data() + at, kMapMark.data(), kMapMark.size()) == 0 &&
         (last == ' ' || last == '\0');
}

StoredArray stored_map(std::span<const std::byte> bytes, const Leniency& leniency) {
  const MapHeader header(bytes, leniency);
  (void)header.mode();  // checked first, since its message explains a wrong byte order
  std::vector<std::size_t> shape = shape_of_map(header);
  const MapFrame frame = frame_of(header, leniency);
  const std::span<const std::byte> elements = elements_of(bytes, header, shape, leniency);
  StoredArray array = npy::stored({header.dtype(), false, std::move(shape)}, elements);
  array.frame = std::make_shared<const MapFrame>(frame);
  return array;
}

}  // namespace toroid
