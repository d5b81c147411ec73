// The axes of maps: MAPC, MAPR and MAPS, and arrays that are turned into X, Y, Z.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/files/map_bytes.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/density_map.hpp"
#include "tools/files/leniency.hpp"
#include "tools/files/map_axes.hpp"
#include "tools/files/map_frame.hpp"  // IWYU pragma: keep
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Axes = std::array<std::int32_t, 3>;

/// A map of bytes, columns fastest, in which an element is 40 Z + 8 Y + X, where Z < 2, Y < 3 and
/// X < 4, and in which the axes are in this order: columns, rows, sections.
MapParts map_with(const Axes& axes) {
  const std::array<std::int32_t, 4> extents = {0, 4, 3, 2};
  const std::array<int, 4> steps = {0, 1, 8, 40};
  const auto extent = [&](std::size_t i) { return extents[static_cast<std::size_t>(axes[i])]; };
  const auto step = [&](std::size_t i) { return steps[static_cast<std::size_t>(axes[i])]; };
  std::string elements;
  for (int s = 0; s < extent(2); ++s)
    for (int r = 0; r < extent(1); ++r)
      for (int c = 0; c < extent(0); ++c)
        elements += static_cast<char>(s * step(2) + r * step(1) + c * step(0));
  return {.nx = extent(0),
          .ny = extent(1),
          .nz = extent(2),
          .mode = 0,
          .elements = elements,
          .words = {{5, 10 * axes[0]},  // NXSTART: 10 for X, 20 for Y, 30 for Z
                    {6, 10 * axes[1]},
                    {7, 10 * axes[2]},
                    {8, 40},
                    {9, 30},
                    {10, 20},
                    {17, axes[0]},
                    {18, axes[1]},
                    {19, axes[2]}}};
}

StoredArray placed_map(const std::string& file, const Leniency& leniency = {}) {
  return stored_map(std::as_bytes(std::span(file)), leniency);
}

Values values_in_order() {
  Values values;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) values.emplace_back(40 * z + 8 * y + x);
  return values;
}

TEST(MapAxes, AreTurnedFromEveryOrder) {
  Axes axes = {1, 2, 3};
  do {
    const std::string file = map_bytes(map_with(axes));
    const StoredArray turned = turned_to_xyz(placed_map(file));
    EXPECT_THAT(turned.shape, ElementsAre(2, 3, 4));
    EXPECT_EQ(decoded(turned).values, values_in_order());
    EXPECT_EQ(turned.frame->axes, (Axes{1, 2, 3}));
    EXPECT_EQ(turned.frame->start, (Axes{10, 20, 30}));
    EXPECT_EQ(turned.frame->intervals, (Axes{40, 30, 20}));  // they belong to X, Y, Z already
  } while (std::ranges::next_permutation(axes).found);
}

TEST(MapAxes, AreTurnedInEveryVolumeOfAStack) {
  MapParts parts = map_with({3, 1, 2});
  parts.elements += parts.elements;
  parts.words[23] = 401;
  parts.words[10] = parts.nz;
  parts.nz *= 2;
  const std::string file = map_bytes(parts);
  const StoredArray turned = turned_to_xyz(placed_map(file));
  EXPECT_THAT(turned.shape, ElementsAre(2, 2, 3, 4));
  Values expected = values_in_order();
  const Values once = expected;
  expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(decoded(turned).values, expected);
}

TEST(MapAxes, OfAnImageStayTwoUnlessOneOfThemIsZ) {
  MapParts parts = {.nx = 3, .ny = 2, .mode = 0, .elements = "abcdef"};
  parts.words = {{17, 2}, {18, 1}, {19, 3}, {23, 0}};
  const std::string swapped = map_bytes(parts);
  const StoredArray image = turned_to_xyz(placed_map(swapped));
  EXPECT_THAT(image.shape, ElementsAre(3, 2));
  EXPECT_THAT(decoded(image).values, ElementsAre('a', 'd', 'b', 'e', 'c', 'f'));
  parts.words = {{17, 2}, {18, 3}, {19, 1}, {23, 0}};
  const std::string upright = map_bytes(parts);
  EXPECT_THAT(turned_to_xyz(placed_map(upright)).shape, ElementsAre(2, 3, 1));
}

TEST(MapAxes, ThatAreNotSetCountAsTheUsualOrderWithAWarning) {
  const std::string file = map_bytes(map_with({1, 2, 3})).replace(64, 12, 12, '\0');
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(placed_map(file, Leniency(false, "a.map")).frame->axes, (Axes{1, 2, 3}));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "toroid: warning: a.map: fields MAPC, MAPR, MAPS are 0, 0, 0; they count as 1, 2, 3\n");
}

TEST(MapAxes, ThatNameNoOrderAreReadAsTheUsualOneIfThatIsAllowed) {
  for (const Axes& axes : {Axes{1, 1, 2}, {0, 2, 3}, {-5, 7, 1}}) {
    MapParts parts = map_with({1, 2, 3});
    for (unsigned i = 0; i < 3; ++i) parts.words[17 + i] = axes[i];
    const std::string file = map_bytes(parts);
    EXPECT_THROW((void)placed_map(file), BadInput);
    ::testing::internal::CaptureStderr();
    const StoredArray array = placed_map(file, Leniency(true, "a.map"));
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("expected 1, 2 and 3 in some order; it is read as 1, 2, 3\n"));
    EXPECT_EQ(decoded(turned_to_xyz(array)).values, values_in_order());
  }
}

TEST(MapAxes, AreTurnedByTheCommandAndOnlyForMaps) {
  const TemporaryDirectory directory;
  directory.save("in.map", map_bytes(map_with({3, 1, 2})));
  std::ostringstream npy;
  write_npy(npy, Extents{2, 3, 4}, Values(24), NpyType::f8);
  directory.save("in.npy", npy.str());
  const Arguments move = {"redistribute", "--torus", "2", "--from", "blocks", "--to", "slabs:x"};
  const Arguments transform = {"fft", "--torus", "2", "--real", "--loop", "1"};
  for (const Arguments& arguments : {move + Arguments{"--type", "f8"}, transform}) {
    const Ended ended =
        run_command(arguments + Arguments{"--in", "in.map", "--xyz", "--out", "out.npy", "--quiet"},
                    {.directory = directory.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const NpyArray result = read_npy(directory / "out.npy");
    EXPECT_THAT(result.shape, ElementsAre(2, 3, 4));
    EXPECT_LE(distance(result.values, values_in_order()), kTolerance);
    expect_refusal(directory, arguments + Arguments{"--in", "in.npy", "--xyz"},
                   {"in.npy: is no map", "omit --xyz"});
  }
  expect_refusal(directory, transform + Arguments{"--size", "4", "--xyz"}, {"--xyz", "--in"});
}

}  // namespace
}  // namespace toroid::testing
