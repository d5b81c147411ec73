// Maps that are written, and outputs whose names ask for a map or for another format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/files/bytes.hpp"
#include "tests/tools/files/map_bytes.hpp"
#include "tests/tools/python.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/density_map.hpp"
#include "tools/files/map_frame.hpp"
#include "tools/files/map_writer.hpp"
#include "tools/files/npy.hpp"
#include "tools/files/output_format.hpp"

namespace toroid::testing {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string map_file(const Extents& shape, const std::vector<float>& numbers, MapNumbers kind,
                     const MapFrame* kept = nullptr) {
  std::ostringstream file;
  write_map(file, shape, numbers, kind, kept);
  return file.str();
}

StoredArray written_map(const std::string& file) {
  return stored_map(std::as_bytes(std::span(file)));
}

std::int32_t word_of(const std::string& file, unsigned word) {
  std::array<char, 4> bytes{};
  file.copy(bytes.data(), 4, 4 * (word - 1));
  return std::bit_cast<std::int32_t>(bytes);
}

float real_of(const std::string& file, unsigned word) {
  return std::bit_cast<float>(word_of(file, word));
}

std::string floats(const std::vector<float>& numbers) {
  std::string bytes;
  for (const float number : numbers) bytes += little(std::bit_cast<std::uint32_t>(number), 4);
  return bytes;
}

std::int32_t bits(float number) {
  return std::bit_cast<std::int32_t>(number);
}

/// A map of 2 x 3 x 4 floats with a frame that no default has.
MapParts framed_map() {
  MapParts parts = {.nx = 4, .ny = 3, .nz = 2, .elements = {}};
  std::vector<float> numbers(24);
  for (std::size_t i = 0; i < 24; ++i) numbers[i] = static_cast<float>(i * 7 % 24);
  parts.elements = floats(numbers);
  parts.words = {{5, -3},          {6, 4},           {7, 5},           {8, 10},
                 {9, 20},          {10, 30},         {11, bits(15)},   {12, bits(30.5f)},
                 {13, bits(60)},   {14, bits(90)},   {15, bits(100)},  {16, bits(120)},
                 {17, 3},          {18, 1},          {19, 2},          {23, 4},
                 {50, bits(1.5f)}, {51, bits(-2.f)}, {52, bits(0.25f)}};
  return parts;
}

TEST(MapWriter, WritesWhatTheReaderReads) {
  const std::vector<float> numbers = {1, -2, 3.5f, 4, 5, 6, 7, 8};
  for (const Extents& shape : {Extents{2, 4}, {2, 2, 2}, {1, 2, 4}, {2, 1, 2, 2}}) {
    const NpyArray real = decoded(written_map(map_file(shape, numbers, MapNumbers::real)));
    EXPECT_EQ(real.shape, shape);
    EXPECT_EQ(real.dtype, "<f4");
    EXPECT_THAT(real.values, ElementsAre(1, -2, 3.5, 4, 5, 6, 7, 8));
  }
  const NpyArray complex = decoded(written_map(map_file({2, 2}, numbers, MapNumbers::complex)));
  EXPECT_EQ(complex.dtype, "<c8");
  EXPECT_THAT(complex.values,
              ElementsAre(Complex(1, -2), Complex(3.5, 4), Complex(5, 6), Complex(7, 8)));
}

TEST(MapWriter, GivesVoxelsOfOneAngstromToAnArrayFromNoMap) {
  const std::vector<float> numbers(24);
  const MapFrame volume = *written_map(map_file({2, 3, 4}, numbers, MapNumbers::real)).frame;
  EXPECT_EQ(volume, (MapFrame{.intervals = {4, 3, 2},
                              .cell = {4, 3, 2},
                              .angles = {90, 90, 90},
                              .axes = {1, 2, 3},
                              .space_group = 1}));
  EXPECT_EQ(written_map(map_file({6, 4}, numbers, MapNumbers::real)).frame->space_group, 0);
  const std::string stack = map_file({2, 3, 2, 2}, numbers, MapNumbers::real);
  EXPECT_EQ(written_map(stack).frame->space_group, 401);
  EXPECT_EQ(word_of(stack, 3), 6);   // NZ
  EXPECT_EQ(word_of(stack, 10), 3);  // MZ
}

TEST(MapWriter, KeepsTheFrameOfAMap) {
  const StoredArray array = written_map(map_bytes(framed_map()));
  const std::string file =
      map_file({2, 3, 4}, std::vector<float>(24), MapNumbers::real, array.frame.get());
  EXPECT_EQ(*written_map(file).frame, *array.frame);
}

TEST(MapWriter, WritesTheStatisticsOfTheNumbers) {
  const std::string file = map_file({1, 2, 2}, {-3, 1, 1, 5}, MapNumbers::real);
  EXPECT_EQ(real_of(file, 20), -3);
  EXPECT_EQ(real_of(file, 21), 5);
  EXPECT_EQ(real_of(file, 22), 1);
  EXPECT_FLOAT_EQ(real_of(file, 55), std::sqrt(8.f));
}

TEST(MapWriter, SaysThatStatisticsAreUnknownIfNumbersHaveNoOrder) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::string& file : {map_file({1, 2}, {1, nan}, MapNumbers::real),
                                  map_file({1, 1}, {1, 2}, MapNumbers::complex)}) {
    EXPECT_EQ(real_of(file, 20), 0);
    EXPECT_EQ(real_of(file, 21), -1);
    EXPECT_EQ(real_of(file, 22), -2);
    EXPECT_EQ(real_of(file, 55), -1);
  }
}

TEST(MapWriter, WritesMapsThatMrcfileFindsValid) {
  const std::string python = python_with("mrcfile, numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with mrcfile";
  const TemporaryDirectory directory;
  const std::vector<float> numbers = {1, -2, 3.5f, 4, 5, 6, 7, 8};
  directory.save("image.map", map_file({2, 4}, numbers, MapNumbers::real));
  directory.save("volume.map", map_file({2, 2, 2}, numbers, MapNumbers::real));
  directory.save("volumes.map", map_file({2, 1, 2, 2}, numbers, MapNumbers::real));
  directory.save("complex.map", map_file({1, 2, 2}, numbers, MapNumbers::complex));
  EXPECT_TRUE(run_python(python, directory, R"(
import io, warnings
import mrcfile, numpy as np
warnings.simplefilter('ignore')  # of complex numbers that become real in mrcfile's statistics
def is_valid(name):
  return mrcfile.validate(name + '.map', print_file=io.StringIO())
numbers = [1, -2, 3.5, 4, 5, 6, 7, 8]
for name, shape in ('image', (2, 4)), ('volume', (2, 2, 2)), ('volumes', (2, 1, 2, 2)):
  assert is_valid(name), name
  with mrcfile.open(name + '.map') as m:
    assert m.data.shape == shape and list(m.data.ravel()) == numbers, name
    assert m.voxel_size.tolist() == (1, 1, 1), m.voxel_size
    assert abs(m.header.rms - np.std(numbers)) < 1e-6
assert is_valid('complex')
with mrcfile.open('complex.map') as m:
  assert list(m.data.ravel()) == [1 - 2j, 3.5 + 4j, 5 + 6j, 7 + 8j]
)"));
}

TEST(OutputFormat, IsThatOfTheEnding) {
  for (const char* path : {"a.map", "a.b.mrc", "x/A.CCP4", "a.npy.map"})
    EXPECT_EQ(output_format(path), OutputFormat::map) << path;
  for (const char* path : {"", "-", "a", "a.npy", "a.out", "map", ".map", "a.map/b", "/dev/null"})
    EXPECT_EQ(output_format(path), OutputFormat::npy) << path;
}

TEST(OutputFormat, IsRefusedIfTheEndingNamesOneThatIsNotWritten) {
  for (const std::string ending : {".npz", ".gz", ".h5", ".txt", ".csv", ".raw", ".bin", ".tif",
                                   ".mat", ".NPZ", ".npy.gz", ".map.gz", ".mrcs"})
    EXPECT_THROW((void)output_format("a" + ending), BadInput) << ending;
  const TemporaryDirectory directory;
  const Arguments fft = {"fft", "--torus", "2", "--size", "4"};
  const Arguments move = {"redistribute", "--torus", "2",    "--size", "4x4",
                          "--from",       "blocks",  "--to", "slabs:x"};
  for (const Arguments& run : {fft, move})
    expect_refusal(directory, run + Arguments{"--out", "o.npy.gz"},
                   {"cannot write o.npy.gz: the ending .gz names another format; expected .npy or, "
                    "for a map, .map, .mrc or .ccp4"});
}

class OutputMap : public ::testing::Test {
 protected:
  Ended run(const Arguments& arguments) const {
    const Ended ended =
        run_command(arguments + Arguments{"--quiet"}, {.directory = directory_.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended;
  }
  void expect_refusal(const Arguments& arguments, const std::vector<std::string>& words) const {
    testing::expect_refusal(directory_, arguments, words);
  }
  void save(const std::string& name, const Extents& shape, NpyType type) const {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    std::ostringstream file;
    write_npy(file, shape, some_values(count, false), type);
    directory_.save(name, file.str());
  }
  /// The arguments of a redistribution from blocks to slabs.
  static Arguments moved(const Arguments& more) {
    return Arguments{"redistribute", "--torus", "2", "--from", "blocks", "--to", "slabs:x"} + more;
  }

  const TemporaryDirectory directory_;
};

TEST_F(OutputMap, KeepsTheFrameThroughARedistribution) {
  directory_.save("in.map", map_bytes(framed_map()));
  run(moved({"--in", "in.map", "--out", "out.mrc"}));
  const std::string in = directory_.content_of("in.map"), out = directory_.content_of("out.mrc");
  EXPECT_EQ(*written_map(out).frame, *written_map(in).frame);
  EXPECT_EQ(out.substr(1024), in.substr(1024));
  EXPECT_EQ(real_of(out, 20), 0);
  EXPECT_EQ(real_of(out, 21), 23);
}

TEST_F(OutputMap, IsWrittenInLittleEndianFromABigEndianMap) {
  directory_.save("in.map", map_bytes({.nx = 2,
                                       .elements = big(0x3f800000, 4) + big(0xc0200000, 4),
                                       .big_endian = true}));
  run(moved({"--in", "in.map", "--out", "out.map"}));
  EXPECT_EQ(directory_.content_of("out.map").substr(1024), floats({1, -2.5f}));
}

TEST_F(OutputMap, RoundTripsRealDataThroughItsHalfSpectrum) {
  directory_.save("in.map", map_bytes(framed_map()));
  run({"fft", "--torus", "2", "--real", "--in", "in.map", "--out", "half.map"});
  const StoredArray half = written_map(directory_.content_of("half.map"));
  EXPECT_EQ(half.dtype, "<c8");
  EXPECT_THAT(half.shape, ElementsAre(2, 3, 3));
  run({"fft", "--torus", "2", "--real", "--inverse", "--scale", "1/N", "--in", "half.map", "--out",
       "out.map"});
  const std::string in = directory_.content_of("in.map"), out = directory_.content_of("out.map");
  EXPECT_EQ(*written_map(out).frame, *written_map(in).frame);
  EXPECT_LE(distance(decoded(written_map(out)).values, decoded(written_map(in)).values), 1e-6);
}

TEST_F(OutputMap, IsAStackIfTheInputIsAStackOfVolumes) {
  MapParts parts = framed_map();
  parts.words[23] = 401;
  parts.words[10] = 1;
  directory_.save("in.map", map_bytes(parts));
  run({"fft", "--torus", "2", "--real", "--loop", "1", "--batch", "2", "--in", "in.map", "--out",
       "out.map"});
  const StoredArray out = written_map(directory_.content_of("out.map"));
  EXPECT_THAT(out.shape, ElementsAre(2, 1, 3, 4));
  EXPECT_EQ(out.frame->cell, (std::array<float, 3>{15, 30.5f, 60}));
}

TEST_F(OutputMap, IsRefusedForTypesAndAxesThatMapsLack) {
  save("f8.npy", {2, 2, 2}, NpyType::f8);
  for (const Arguments& type : {Arguments{}, {"--type", "f8"}, {"--type", "c16"}})
    expect_refusal(moved({"--in", "f8.npy", "--out", "out.map"}) + type,
                   {"out.map: a map holds numbers of type f4 or c8, not ", "--type f4"});
  expect_refusal(moved({"--size", "4x4", "--out", "out.map"}), {"not c16"});
  save("line.npy", {8}, NpyType::f4);
  expect_refusal(moved({"--in", "line.npy", "--out", "out.map"}),
                 {"out.map: a map has 2 to 4 axes, and this array has 1"});
  save("five.npy", {2, 2, 2, 1, 2}, NpyType::f8);
  expect_refusal({"fft", "--torus", "2", "--method", "rows", "--in", "five.npy", "--out", "o.mrc"},
                 {"o.mrc: a map has 2 to 4 axes, and this array has 5"});
  run(moved({"--in", "f8.npy", "--out", "out.map", "--type", "f4"}));
}

TEST_F(OutputMap, IsNotWrittenIfANumberIsTooLargeForIt) {
  std::ostringstream file;
  write_npy(file, Extents{1, 2, 2}, Values{1, 1e300, 2, 3}, NpyType::f8);
  directory_.save("in.npy", file.str());
  const Ended ended = run_command({"fft", "--torus", "2", "--real", "--loop", "1", "--in", "in.npy",
                                   "--out", "out.map", "--quiet"},
                                  {.directory = directory_.path()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("element 1 in C order is too large for the float32 of a map"));
  EXPECT_THAT(directory_.entries(), ElementsAre("in.npy"));
}

}  // namespace
}  // namespace toroid::testing
