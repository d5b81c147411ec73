// toroid fft from file to file: every input format, results checked by FFTW, and round trips.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

class FftCommand : public ::testing::Test {
 protected:
  void save(const std::string& name, const Extents& shape, const Values& values,
            NpyType type = NpyType::c16, bool fortran_order = false) {
    std::ostringstream file;
    write_npy(file, shape, values, type, fortran_order);
    directory_.save(name, file.str());
  }

  /// Runs with --check, which compares with FFTW, and returns the result.
  NpyArray transformed(const std::string& in, const Arguments& more) {
    const Arguments run = {"fft", "--in", in, "--out", "out.npy", "--check"};
    const nlohmann::json report = json_of(run + more, {.directory = directory_.path()});
    EXPECT_LE(report["l2_error"].get<double>(), kTolerance);
    return read_npy(directory_ / "out.npy");
  }

  /// Transforms forward, with --check, and back.
  void expect_round_trip(const Extents& shape, const Arguments& torus) {
    SCOPED_TRACE(::testing::PrintToString(shape) + " on " + ::testing::PrintToString(torus));
    const Values values = some_values(shape[0] * shape[1] * shape[2], true);
    save("in.npy", shape, values);
    const NpyArray there = transformed("in.npy", torus);
    save("there.npy", shape, there.values);
    const NpyArray back =
        transformed("there.npy", torus + Arguments{"--inverse", "--scale", "1/N"});
    EXPECT_LE(distance(back.values, values), kTolerance);
  }

  const TemporaryDirectory directory_;
};

TEST_F(FftCommand, GivesEqualResultsForEveryElementTypeAndMemoryOrder) {
  const Extents shape = {3, 4, 5};
  for (const bool complex : {false, true}) {
    const Values values = some_values(60, complex);
    Values first;
    for (const NpyType type :
         complex ? std::vector{NpyType::c8, NpyType::c16} : std::vector{NpyType::f4, NpyType::f8}) {
      for (const bool fortran_order : {false, true}) {
        save("in.npy", shape, values, type, fortran_order);
        const Values result = transformed("in.npy", {"--torus", "2x2"}).values;
        if (first.empty()) first = result;
        EXPECT_EQ(result, first);
      }
    }
  }
}

TEST_F(FftCommand, WritesDoubleComplexInCOrderInTheInputsShape) {
  save("in.npy", {2, 3, 7}, some_values(42, false), NpyType::f4, true);
  const NpyArray out = transformed("in.npy", {"--torus", "2x3"});
  EXPECT_EQ(out.dtype, "<c16");
  EXPECT_EQ(out.shape, (Extents{2, 3, 7}));
  EXPECT_NE(directory_.content_of("out.npy").find("'fortran_order': False"), std::string::npos);
}

TEST_F(FftCommand, PutsEachFrequencyInItsPlace) {
  // A wave along each axis: exp(2 pi i (x/4 + 2y/4 + 3z/4)), all values exact.
  const Complex turn[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  Values wave;
  for (unsigned i = 0; i < 64; ++i) wave.push_back(turn[(i / 16 + 2 * (i / 4 % 4) + 3 * i) % 4]);
  save("in.npy", {4, 4, 4}, wave);
  const Values result = transformed("in.npy", {"--torus", "2x2x2"}).values;
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(result[i], i == 16 + 8 + 3 ? 64.0 : 0.0) << i;
}

TEST_F(FftCommand, RoundTripsAnySize) {
  for (const Extents& shape : {Extents{1, 1, 1},
                               {2, 1, 1},
                               {1, 1, 13},
                               {2, 2, 2},
                               {1, 7, 1},
                               {5, 7, 11},
                               {16, 1, 16},
                               {31, 2, 3},
                               {3, 37, 2},
                               {9, 8, 10},
                               {97, 3, 1},
                               {12, 20, 28}})
    for (const std::string torus : {"1", "1x1x1"}) expect_round_trip(shape, {"--torus", torus});
}

TEST_F(FftCommand, RoundTripsOnToriOfOneToSixDimensions) {
  for (const std::string torus :
       {"2", "7", "36", "3x5", "6x6", "2x3x5", "4x3x3", "1x36x1", "5x1x7", "2x2x3x3", "2x1x2x1x3",
        "2x2x2x2x2", "2x1x2x2x1x3", "2x2x2x1x2x2", "4x4m", "3mx2x2m"}) {
    expect_round_trip({6, 7, 8}, {"--torus", torus});
    expect_round_trip({7, 5, 11}, {"--torus", torus, "--mesh"});
  }
}

TEST_F(FftCommand, RoundTripsWithEveryPolicySetting) {
  for (const Arguments& policy : {Arguments{"--return"},
                                  {"--order", "rank"},
                                  {"--order", "shift"},
                                  {"--routing", "deterministic"},
                                  {"--tie", "split"},
                                  {"--tying", "any"},
                                  {"--queues", "3"},
                                  {"--no-transit-first"}})
    expect_round_trip({6, 10, 7}, Arguments{"--torus", "3x2x4"} + policy);
}

TEST_F(FftCommand, ValuesDoNotDependOnRouting) {
  save("in.npy", {5, 6, 7}, some_values(210, true));
  const Values values = transformed("in.npy", {"--torus", "2x3x2"}).values;
  for (const Arguments& more : {Arguments{"--return"}, {"--routing", "deterministic"}, {"--mesh"}})
    EXPECT_EQ(transformed("in.npy", Arguments{"--torus", "2x3x2"} + more).values, values);
}

TEST_F(FftCommand, MayOverwriteItsInput) {
  const Values values = some_values(64, true);
  save("in.npy", {4, 4, 4}, values);
  const Arguments run = {"fft", "--torus", "2", "--in", "in.npy", "--out", "in.npy"};
  EXPECT_EQ(run_command(run, {.directory = directory_.path()}).exit_code, 0);
  const Arguments inverse = run + Arguments{"--inverse", "--scale", "1/N"};
  EXPECT_EQ(run_command(inverse, {.directory = directory_.path()}).exit_code, 0);
  EXPECT_LE(distance(read_npy(directory_ / "in.npy").values, values), kTolerance);
}

TEST_F(FftCommand, ChecksItsErrorAtAnyMagnitude) {
  for (const double magnitude : {1e-300, 1e-160, 1e160, 1e300}) {
    Values values = some_values(64, true);
    for (Complex& value : values) value *= magnitude;
    save("in.npy", {4, 4, 4}, values);
    transformed("in.npy", {"--torus", "2x2"});
  }
}

TEST_F(FftCommand, TransformsAProteinDensity) {
  const std::string path = TOROID_SOURCE_DIR "/../shared/data/EMD-3001.npy";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Arguments torus = {"--torus", "3x2x4"};
  const NpyArray there = transformed(path, torus);
  EXPECT_EQ(there.shape, (Extents{25, 43, 73}));
  save("there.npy", there.shape, there.values);
  const NpyArray back = transformed("there.npy", torus + Arguments{"--inverse", "--scale", "1/N"});
  EXPECT_LE(distance(back.values, read_npy(path).values), kTolerance);
}

}  // namespace
}  // namespace toroid::testing
