// Reading of MRC/CCP4 maps, and refusals of broken ones.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/files/bytes.hpp"
#include "tests/tools/files/map_bytes.hpp"
#include "tests/tools/python.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/density_map.hpp"
#include "tools/files/leniency.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NpyArray map_of(const std::string& file) {
  // Exactly as long as the file, so that a sanitizer detects reads beyond its end.
  const std::vector<char> exact(file.begin(), file.end());
  return decoded(stored_map(std::as_bytes(std::span(exact))));
}

NpyArray map_of(const MapParts& parts) {
  return map_of(map_bytes(parts));
}

std::string map_refusal(const std::string& file) {
  try {
    map_of(file);
  } catch (const BadInput& reason) {
    EXPECT_THAT(reason.what(), ::testing::Not(HasSubstr("\n")));
    return reason.what();
  }
  return "accepted";
}

std::string map_refusal(const MapParts& parts) {
  return map_refusal(map_bytes(parts));
}

/// A valid map of 2 x 3 x 4 floats, which tests of refusals modify.
MapParts sound_map() {
  return {.nx = 4, .ny = 3, .nz = 2, .elements = std::string(24 * 4, '\0')};
}

MapParts with_word(unsigned word, std::int32_t value) {
  MapParts parts = sound_map();
  parts.words[word] = value;
  return parts;
}

TEST(MapFile, IsReadInEveryMode) {
  const auto values_of = [](std::int32_t mode, std::int32_t nx, const std::string& elements) {
    return map_of({.nx = nx, .mode = mode, .elements = elements}).values;
  };
  EXPECT_THAT(values_of(0, 2, "\x7f\xff"), ElementsAre(127, -1));
  EXPECT_THAT(values_of(1, 2, "\x01\x02\xff\xff"), ElementsAre(513, -1));
  EXPECT_THAT(values_of(2, 1, little(0xc0200000, 4)), ElementsAre(-2.5));
  EXPECT_THAT(values_of(4, 1, little(0x3f800000, 4) + little(0xc0200000, 4)),
              ElementsAre(Complex(1, -2.5)));
  EXPECT_THAT(values_of(6, 1, "\xff\xff"), ElementsAre(65535));
  EXPECT_THAT(values_of(12, 1, "\x00\x3c"s), ElementsAre(1));
}

TEST(MapFile, IsReadInEitherByteOrder) {
  const auto values_of = [](std::int32_t mode, std::int32_t nx, const std::string& elements) {
    return map_of({.nx = nx, .mode = mode, .elements = elements, .big_endian = true}).values;
  };
  EXPECT_THAT(values_of(0, 2, "\x7f\xff"), ElementsAre(127, -1));
  EXPECT_THAT(values_of(1, 2, "\x02\x01\xff\xff"), ElementsAre(513, -1));
  EXPECT_THAT(values_of(2, 1, big(0xc0200000, 4)), ElementsAre(-2.5));
  EXPECT_THAT(values_of(4, 1, big(0x3f800000, 4) + big(0xc0200000, 4)),
              ElementsAre(Complex(1, -2.5)));
  EXPECT_THAT(values_of(6, 1, "\xff\xfe"), ElementsAre(65534));
  EXPECT_THAT(values_of(12, 1, "\x3c\x00"s), ElementsAre(1));
}

TEST(MapFile, IsReadWithTheOldMachineStamp) {
  MapParts parts = sound_map();
  parts.stamp = "\x44\x41\0\0"s;
  EXPECT_EQ(map_of(parts).dtype, "<f4");
}

TEST(MapFile, HasColumnsFastestWhateverAxesTheHeaderNames) {
  std::string elements;
  for (char i = 0; i < 24; ++i) elements += i;
  for (const auto& axes : {std::array{1, 2, 3}, {3, 1, 2}, {2, 3, 1}}) {
    const NpyArray array = map_of({.nx = 4,
                                   .ny = 3,
                                   .nz = 2,
                                   .mode = 0,
                                   .elements = elements,
                                   .words = {{17, axes[0]}, {18, axes[1]}, {19, axes[2]}}});
    EXPECT_THAT(array.shape, ElementsAre(2, 3, 4));
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(array.values[i], static_cast<double>(i));
  }
}

TEST(MapFile, IsReadAfterItsExtendedHeader) {
  MapParts parts = sound_map();
  parts.extended_header = std::string(160, 'X');
  EXPECT_EQ(map_of(parts).values, Values(24));
}

TEST(MapFile, HasTheSameAxesAsInMrcfile) {
  MapParts parts = sound_map();
  parts.words[23] = 0;
  EXPECT_THAT(map_of(parts).shape, ElementsAre(2, 3, 4));  // a stack of images
  parts.words[23] = 401;
  parts.words[10] = 1;
  EXPECT_THAT(map_of(parts).shape, ElementsAre(2, 1, 3, 4));  // a stack of volumes
  parts = {.nx = 3, .ny = 2, .mode = 0, .elements = "abcdef", .words = {{23, 0}}};
  EXPECT_THAT(map_of(parts).shape, ElementsAre(2, 3));  // one image
}

TEST(MapFile, RefusalNamesTheWrongField) {
  for (const auto& [word, name] : {std::pair{1U, "NX"}, {2U, "NY"}, {3U, "NZ"}})
    for (const std::int32_t extent : {0, -1, std::numeric_limits<std::int32_t>::min()})
      EXPECT_EQ(map_refusal(with_word(word, extent)),
                fmt::format("field {} is {}; expected 1 or more", name, extent));
  for (const std::int32_t mode : {-1, 5, 7, 13, 1000000})
    EXPECT_THAT(map_refusal(with_word(4, mode)),
                HasSubstr(fmt::format("field MODE is {}; expected 0 (int8), 1 (int16)", mode)));
  EXPECT_THAT(map_refusal(with_word(4, 3)), HasSubstr("field MODE is 3 (complex int16);"));
  EXPECT_THAT(map_refusal(with_word(4, 101)), HasSubstr("field MODE is 101 (4 bits per element);"));
  for (const std::int32_t axis : {0, 2, 4, -1})
    EXPECT_THAT(map_refusal(with_word(17, axis)),
                HasSubstr(fmt::format("fields MAPC, MAPR, MAPS are {}, 2, 3; expected", axis)));
}

TEST(MapFile, MayLeaveItsAxesUnset) {
  MapParts parts = sound_map();
  parts.words = {{17, 0}, {18, 0}, {19, 0}};
  EXPECT_EQ(map_of(parts).values, Values(24));
}

TEST(MapFile, MayHaveAMarkThatEndsWithAZeroByte) {
  MapParts parts = sound_map();
  parts.mark = "MAP\0"s;
  EXPECT_EQ(map_of(parts).values, Values(24));
}

/// The values of a map of the bytes 1 and 255 with these words.
Values bytes_with(std::map<unsigned, std::int32_t> words, bool big_endian = false) {
  return map_of({.nx = 2,
                 .mode = 0,
                 .elements = "\x01\xff",
                 .big_endian = big_endian,
                 .words = std::move(words)})
      .values;
}

constexpr std::int32_t kImod = 1146047817;

TEST(MapFile, HasUnsignedBytesIfImodSaysSo) {
  for (const bool big_endian : {false, true}) {
    EXPECT_THAT(bytes_with({{39, kImod}, {40, 0}}, big_endian), ElementsAre(1, 255));
    EXPECT_THAT(bytes_with({{39, kImod}, {40, 6}}, big_endian), ElementsAre(1, 255));
    EXPECT_THAT(bytes_with({{39, kImod}, {40, 7}}, big_endian), ElementsAre(1, -1));
    EXPECT_THAT(bytes_with({{40, 0}}, big_endian), ElementsAre(1, -1));
  }
}

TEST(MapFile, HasUnsignedBytesIfItHasNoStampAndItsLargestIsAbove127) {
  const auto bits = [](float number) { return std::bit_cast<std::int32_t>(number); };
  EXPECT_THAT(bytes_with({{20, bits(0)}, {21, bits(255)}}), ElementsAre(1, 255));
  EXPECT_THAT(bytes_with({{20, bits(0)}, {21, bits(127)}}), ElementsAre(1, -1));
  EXPECT_THAT(bytes_with({{20, bits(-1)}, {21, bits(255)}}), ElementsAre(1, -1));
  EXPECT_THAT(bytes_with({{20, bits(0)}, {21, bits(255)}, {39, kImod}, {40, 1}}),
              ElementsAre(1, -1));
}

TEST(MapFile, IsReadInSpiteOfSmallFaultsIfThatIsAllowed) {
  for (const bool big_endian : {false, true}) {
    const std::string file = map_bytes({.nx = 2,
                                        .mode = 1,
                                        .elements = big_endian ? "\0\1\0\2more"s : "\1\0\2\0more"s,
                                        .big_endian = big_endian,
                                        .mark = "    ",
                                        .stamp = "\xff\xff\0\0"s});
    ::testing::internal::CaptureStderr();
    const Leniency leniency(true, "a.map");
    EXPECT_THAT(decoded(stored_map(std::as_bytes(std::span(file)), leniency)).values,
                ElementsAre(1, 2));
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::ranges::count(said, '\n'), 3) << said;
    for (const char* word :
         {"toroid: warning: a.map: ", "field MAP in", "MACHST", "trailing bytes"})
      EXPECT_THAT(said, HasSubstr(word));
  }
}

TEST(MapFile, IsReadInTheOrderInWhichItsHeaderMakesSenseIfThatIsAllowed) {
  for (const std::int32_t mode : {0, 1})
    for (const bool big_endian : {false, true})
      for (const std::string& stamp : {"\x44\x44\0\0"s, "\x11\x11\0\0"s, "\0\0\0\0"s}) {
        std::string elements = "\1\2";
        if (mode == 1) elements = big_endian ? "\0\1\0\2"s : "\1\0\2\0"s;
        const std::string file = map_bytes({.nx = 2,
                                            .mode = mode,
                                            .elements = elements,
                                            .big_endian = big_endian,
                                            .stamp = stamp});
        ::testing::internal::CaptureStderr();
        const Leniency leniency(true, "a.map");
        EXPECT_THAT(decoded(stored_map(std::as_bytes(std::span(file)), leniency)).values,
                    ElementsAre(1, 2));
        const bool is_right = stamp == (big_endian ? "\x11\x11\0\0"s : "\x44\x44\0\0"s);
        EXPECT_EQ(::testing::internal::GetCapturedStderr().empty(), is_right);
      }
}

TEST(MapFile, IsRefusedIfTheMarkOrTheMachineStampIsWrong) {
  MapParts parts = sound_map();
  parts.mark = "MAPS"s;
  EXPECT_THAT(map_refusal(parts),
              HasSubstr("field MAP in word 53 is 4d 41 50 53; expected 'MAP ' (4d 41 50 20)"));
  parts = sound_map();
  for (const std::string& stamp :
       {"\0\0\0\0"s, "\x11\x44\0\0"s, "\x44\x11\0\0"s, "\xff\xff\0\0"s}) {
    parts.stamp = stamp;
    EXPECT_THAT(map_refusal(parts), HasSubstr("field MACHST, the machine stamp in word 54, is "));
  }
}

TEST(MapFile, IsRefusedIfTheMachineStampNamesTheWrongByteOrder) {
  MapParts parts = sound_map();
  parts.stamp = "\x11\x11\0\0"s;
  EXPECT_EQ(
      map_refusal(parts),
      "field MACHST says big-endian, which makes field MODE 33554432; in the other byte order "
      "it is 2");
}

TEST(MapFile, IsRefusedIfItsSizeDoesNotMatchItsExtents) {
  const std::string file = map_bytes(sound_map());
  EXPECT_EQ(
      map_refusal(file.substr(0, file.size() - 1)),
      "data truncated: fields NZ, NY, NX = 2, 3, 4 and MODE 2 need 96 bytes of elements, found "
      "95");
  EXPECT_THAT(map_refusal(file + "x"),
              HasSubstr("trailing bytes after the data: fields NZ, NY, NX"));
  // Absurd extents: no memory could hold the elements.
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  MapParts parts = sound_map();
  parts.words = {{1, most}, {2, most}, {3, most}};
  EXPECT_THAT(map_refusal(parts),
              HasSubstr("fields NZ, NY, NX = 2147483647, 2147483647, 2147483647"));
}

TEST(MapFile, IsRefusedIfItsExtendedHeaderIsLongerThanTheFile) {
  for (const std::int32_t size : {-1, 97, std::numeric_limits<std::int32_t>::max()})
    EXPECT_EQ(map_refusal(with_word(24, size)),
              fmt::format("field NSYMBT, the size of the extended header, is {}; the file has 96 "
                          "bytes after its header",
                          size));
  EXPECT_THAT(map_refusal(with_word(24, 96)), HasSubstr("data truncated"));
}

TEST(MapFile, IsRefusedIfAStackHasAFractionalNumberOfVolumes) {
  for (const std::int32_t mz : {0, 3}) {
    MapParts parts = with_word(10, mz);
    parts.words[23] = 401;
    EXPECT_THAT(map_refusal(parts), HasSubstr(fmt::format("field MZ is {}", mz)));
  }
}

TEST(MapFile, IsRefusedIfTruncatedAnywhere) {
  const std::string file = map_bytes(sound_map());
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_THAT(map_refusal(file.substr(0, size)),
                HasSubstr(size < 212    ? "not an MRC/CCP4 map"
                          : size < 1024 ? "header truncated: expected 1024 bytes"
                                        : "data truncated"));
}

std::string content_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const fs::path kExample = fs::path(TOROID_SOURCE_DIR) / "tools/examples/EMD-3001.map";

TEST(MapFile, ExampleHasTheMinimumMaximumAndMeanOfItsHeader) {
  const std::string file = content_of_file(kExample);
  ASSERT_EQ(file.size(), 315084u);
  const NpyArray array = read_array(kExample);
  EXPECT_EQ(array.shape, (Extents{25, 43, 73}));
  float said[3];
  std::memcpy(said, file.data() + 4 * 19, sizeof said);  // DMIN, DMAX, DMEAN
  double least = HUGE_VAL, most = -HUGE_VAL, sum = 0;
  for (const Complex& value : array.values) {
    least = std::min(least, value.real());
    most = std::max(most, value.real());
    sum += value.real();
  }
  EXPECT_EQ(least, said[0]);
  EXPECT_EQ(most, said[1]);
  EXPECT_NEAR(sum / static_cast<double>(array.values.size()), said[2], 1e-8);
}

TEST(MapFile, ExampleEqualsItsNumPyVersion) {
  const fs::path path = fs::path(TOROID_SOURCE_DIR) / "../shared/data/EMD-3001.npy";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const NpyArray expected = read_array(path);
  const NpyArray array = read_array(kExample);
  EXPECT_EQ(array.shape, expected.shape);
  EXPECT_EQ(array.values, expected.values);
}

TEST(MapFile, WrittenByMrcfileIsReadAsMrcfileReadsIt) {
  const TemporaryDirectory directory;
  const std::string python = python_with("mrcfile, numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with mrcfile";
  ASSERT_TRUE(run_python(python, directory, R"(
import mrcfile, numpy as np
random = np.random.default_rng(3)
def save(name, data, **fields):
  with mrcfile.new(name + '.map', data=data) as m:
    for field, value in fields.items():
      m.header[field] = value
    if 'volumes' in name:
      m.set_image_stack() if data.ndim == 3 else None
  with mrcfile.open(name + '.map') as m:
    np.save(name + '.npy', m.data)
for code in ('i1', '<i2', '>i2', '<f4', '>f4', '<c8', '>c8', '<u2', '>u2', '<f2', '>f2'):
  a = (random.standard_normal((2, 3, 5)) * 50).astype(np.dtype(code))
  save('volume' + code, a)
  save('image' + code, a[0])
save('volumes', random.standard_normal((2, 3, 4, 5)).astype('f4'))
save('turned', random.standard_normal((2, 3, 4)).astype('f4'), mapc=3, mapr=1, maps=2)
)"));
  int files = 0;
  for (const std::string& name : directory.entries()) {
    if (!name.ends_with(".map")) continue;
    ++files;
    const NpyArray expected = read_npy(directory / (name.substr(0, name.size() - 4) + ".npy"));
    const NpyArray array = read_array(directory / name);
    EXPECT_EQ(array.shape, expected.shape) << name;
    EXPECT_EQ(array.values, expected.values) << name;
  }
  EXPECT_EQ(files, 24);
}

}  // namespace
}  // namespace toroid::testing
