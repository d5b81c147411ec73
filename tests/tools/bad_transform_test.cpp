// toroid fft refuses impossible transforms and options without effect.
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using Words = std::vector<std::string>;

const Arguments kSlab = {"fft", "--method", "slab", "--torus", "2x2", "--size", "16"};
const Arguments kOrbital = {"fft", "--method", "orbital", "--torus", "2x2x2", "--size", "8"};
const Arguments kVolumetric = {"fft", "--torus", "2x2", "--size", "8"};
const Arguments kRows = kVolumetric + Arguments{"--method", "rows"};

Arguments on(const std::string& method, const std::string& torus, const std::string& size) {
  return {"fft", "--method", method, "--torus", torus, "--size", size};
}

class BadTransform : public ::testing::Test {
 protected:
  void expect_refusal(const Arguments& arguments, const Words& words) {
    testing::expect_refusal(directory_, with_outputs(arguments), words);
  }
  void save(const std::string& name, const std::vector<std::size_t>& shape,
            std::complex<double> value = 1) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    std::ostringstream file;
    write_npy(file, shape, std::vector(count, value));
    directory_.save(name, file.str());
  }
  void expect_refused_in(const Arguments& more, const Words& words) {
    expect_refusal(Arguments{"fft", "--torus", "2", "--in", "in.npy"} + more, words);
  }

  const TemporaryDirectory directory_;
};

TEST_F(BadTransform, OrbitalSizeNotDivisibleByTorusIsRefused) {
  expect_refusal(on("orbital", "3x3x3", "8"),
                 {"N = 8", "P = 3", "not a multiple", "nearest: N = 6 or 9", "2x2x2 or 4x4x4"});
  expect_refusal(on("orbital", "3x3x3", "2"), {"N = 2", "nearest: N = 3"});
}

TEST_F(BadTransform, OrbitalAxisNotDivisibleByTorusIsRefused) {
  expect_refusal(on("orbital", "2x2x2", "8x8x5"), {"N = 5", "P = 2", "1x1x1 for 8x8x5"});
}

TEST_F(BadTransform, InvalidStagesOrSlicingIsRefused) {
  for (const std::string stages : {"xy", "xxy", "xyzx", "abc", "XYZ", "x,y,z"})
    expect_refusal(kOrbital + Arguments{"--stages", stages},
                   {"'" + stages + "' is not an order of stages", "zxy"});
  expect_refusal(kOrbital + Arguments{"--slicing", "u"}, {"slicing 'u'", "x, y, z"});
  expect_refusal(kOrbital + Arguments{"--slicing", "y", "--stages", "zyx"},
                 {"--slicing y makes y the last stage", "zxy or xzy, found zyx"});
}

TEST_F(BadTransform, UnusableMatrixIsRefused) {
  const auto by = [](const std::string& file) {
    return kOrbital + Arguments{"--transform", "matrix:" + file};
  };
  save("oblong.npy", {8, 4}, 1);
  save("cube.npy", {2, 2, 2}, 1);
  save("small.npy", {4, 4}, 1);
  save("ones.npy", {8, 8}, 1);
  save("complex.npy", {8, 8}, {0, 1});
  expect_refusal(by("oblong.npy"), {"oblong.npy", "8x4", "expected a square matrix"});
  expect_refusal(by("cube.npy"), {"cube.npy", "2x2x2", "expected a square matrix"});
  expect_refusal(by("small.npy"), {"matrix small.npy is 4x4, but its axis has 8 points"});
  expect_refusal(by("ones.npy") + Arguments{"--inverse"}, {"matrix ones.npy is singular"});
  expect_refusal(by("complex.npy") + Arguments{"--real"},
                 {"complex.npy", "has complex coefficients"});
  expect_refusal(by("missing.npy"), {"missing.npy"});
  expect_refusal(kOrbital + Arguments{"--transform", "matrix:"}, {"matrix:"});
}

TEST_F(BadTransform, LoopThatCannotReturnToItsInputIsRefused) {
  for (const Arguments& more : {Arguments{"--inverse"}, {"--scale", "1/N"}})
    expect_refusal(kVolumetric + Arguments{"--loop", "2"} + more, {more[0], "--loop"});
  expect_refusal(kSlab + Arguments{"--loop", "2", "--box-cut", "2"}, {"--box-cut", "--loop"});
  for (const std::string planes : {"-1", "2,-1"})
    expect_refusal(kSlab + Arguments{"--loop", "2", "--planes=" + planes},
                   {"--planes -1", "--loop"});
  for (const std::string number : {"0", "-1", "x"})
    expect_refusal(kVolumetric + Arguments{"--loop=" + number}, {"--loop", number});
}

TEST_F(BadTransform, OrbitalOnNonCubicTorusIsRefused) {
  for (const std::string torus : {"2", "2x2", "2x2x4", "2x2x2x2", "2x2x2m"})
    expect_refusal(on("orbital", torus, "8"), {torus, "P x P x P", "nearest for N = 8: "});
  expect_refusal(on("orbital", "2x2x4", "8"), {"nearest for N = 8: 2x2x2 or 4x4x4"});
  expect_refusal(kOrbital + Arguments{"--mesh"}, {"closed rings", "nearest"});
}

TEST_F(BadTransform, WalshSizeNotPowerOfTwoIsRefused) {
  expect_refusal(on("orbital", "2x2x2", "12") + Arguments{"--transform", "wht"},
                 {"wht", "power of two", "N = 12", "nearest: 8 or 16"});
  expect_refusal(on("orbital", "3x3x3", "12") + Arguments{"--transform", "dft,wht,dft"},
                 {"wht", "2x2x2 or 4x4x4"});
}

TEST_F(BadTransform, OrbitalRealDataWithComplexResultIsRefused) {
  for (const std::string kinds : {"dft", "dct,dft,dct"})
    expect_refusal(kOrbital + Arguments{"--real", "--transform", kinds}, {"dft", "complex"});
}

TEST_F(BadTransform, SlabOnMoreNodesThanPlanesIsRefused) {
  expect_refusal(on("slab", "9", "8"), {"8 planes", "9 nodes", "at most 8 nodes"});
  expect_refusal(on("slab", "3x3", "9x9x8"), {"8 planes along z", "9 nodes"});
  expect_refusal(on("slab", "9", "9x8x8") + Arguments{"--real"}, {"8 planes", "along y"});
  expect_refusal(on("slab", "8", "8") + Arguments{"--box-cut", "2"},
                 {"4 planes of the result", "8 nodes", "at most 4 nodes"});
}

TEST_F(BadTransform, SizeWithoutElementsOrBeyondAllNumbersIsRefused) {
  for (const Arguments& run : {on("volumetric", "2", "0"), on("slab", "2", "8x0x8"),
                               on("orbital", "2x2x2", "-8"), on("rows", "2", "0x4")})
    expect_refusal(run, {run.back(), "expected every extent to be at least 1"});
  expect_refusal(on("rows", "2", "9999999999999x9999999999999"), {"more than 2147483648 elements"});
  for (const std::string size : {"0", "8x0x8"})
    expect_refusal({"compare", "--torus", "2", "--workload", "fft:" + size + ":slab:2"},
                   {"size '" + size + "'", "expected every extent to be at least 1"});
}

TEST_F(BadTransform, WorkloadWithImpossiblePlanesIsRefused) {
  for (const std::string planes : {"0", "-5", "x", "", "1KiB", "99999999999"})
    expect_refusal({"compare", "--torus", "2", "--workload", "fft:8:slab:" + planes},
                   {"workload 'fft:8:slab:" + planes + "': '" + planes +
                    "' is not a number of planes; expected 1 to 16777216"});
}

TEST_F(BadTransform, MoreThanSixAxesAreRefused) {
  expect_refusal(on("rows", "2", "8x8x8x8x8x8x8"), {"is not a size"});
}

TEST_F(BadTransform, UnusableBoxCutIsRefused) {
  expect_refusal(kSlab + Arguments{"--box-cut", "16.5"}, {"cut of 16.5", "16x16x16", "at most 16"});
  expect_refusal(on("slab", "2", "4x6x8") + Arguments{"--box-cut", "5"}, {"at most 4"});
  for (const Arguments& more : {Arguments{}, {"--inverse"}})
    expect_refusal(kSlab + Arguments{"--box-cut", "2", "--real"} + more,
                   {"--box-cut needs complex data; omit --real"});
  for (const std::string cut : {"0", "-1", "0.99", "x", "nan", "inf", "2,5", "1e99"})
    expect_refusal(kSlab + Arguments{"--box-cut=" + cut}, {"--box-cut", cut});
}

TEST_F(BadTransform, ScaleBesideANormIsRefused) {
  expect_refusal(kVolumetric + Arguments{"--norm", "ortho", "--scale", "1/N"},
                 {"--scale has no effect", "--norm paper"});
  expect_refusal(kVolumetric + Arguments{"--norm", "unit"}, {"paper, backward, ortho, forward"});
}

TEST_F(BadTransform, FactorsWithoutOrbitalMethodAreRefused) {
  for (const Arguments& run : {kVolumetric, kSlab, kRows})
    for (const std::string kinds : {"fft", "dft,dft,fft"})
      expect_refusal(run + Arguments{"--transform", kinds},
                     {"transform fft needs the orbital method"});
}

TEST_F(BadTransform, RealDataWithTheDftAlongOnlySomeAxesIsRefused) {
  for (const Arguments& run : {kVolumetric, kSlab, kRows})
    expect_refusal(run + Arguments{"--real", "--transform", "dct,dft,dct"},
                   {"real data with dct along one axis and dft along another"});
}

TEST_F(BadTransform, TransformListOfInvalidLengthOrNameIsRefused) {
  expect_refusal(kOrbital + Arguments{"--transform", "dct,dft"},
                 {"has 2 transforms for an array of 3 axes", "one per axis"});
  expect_refusal(kOrbital + Arguments{"--transform", "dct,dft,dht,wht"}, {"has 4 transforms"});
  expect_refusal(kOrbital + Arguments{"--transform", "dct,dct,dct,dct,dct,dct,dct"},
                 {"more than 6 transforms"});
  for (const std::string kinds : {"dct,", ",dct", "dct,,dft", "DCT", "dct dft wht", "fftw", ""})
    expect_refusal(kOrbital + Arguments{"--transform", kinds}, {"transform", "dct, dht, wht"});
}

TEST_F(BadTransform, UnknownScheduleScalePrecisionOrPlanIsRefused) {
  for (const std::string schedule : {"++", "++++", "+0-", "+ -", "111", "abc"})
    expect_refusal(kOrbital + Arguments{"--schedule=" + schedule},
                   {"'" + schedule + "' is not a scheduling vector", "+-+"});
  for (const std::string scale : {"2", "", "1/n", "N", "sqrt"})
    expect_refusal(kVolumetric + Arguments{"--scale", scale},
                   {"scale '" + scale + "'", "none, 1/N, 1/sqrt(N)"});
  for (const std::string precision : {"half", "", "Single", "32"})
    expect_refusal(kVolumetric + Arguments{"--precision", precision},
                   {"precision '" + precision + "'", "single, double"});
  expect_refusal(kVolumetric + Arguments{"--plan", "patient"}, {"'patient'", "estimate, measure"});
}

TEST_F(BadTransform, NumberOutOfRangeIsRefused) {
  for (const std::string number : {"0", "-1", "1.5", "two", "", "4294967296"})
    expect_refusal(kVolumetric + Arguments{"--batch=" + number}, {"--batch", number});
  for (const std::string number : {"0", "33", "1000", "-1", "x", "4294967297"})
    expect_refusal(kSlab + Arguments{"--planes", "1", "--window=" + number}, {"--window", "32"});
  for (const std::string number :
       {"-2", "1.5", "x", "99999999999999999999", "--1", "1,", ",1", "1,-2", "x,1", "1,2,x"})
    expect_refusal(kSlab + Arguments{"--planes=" + number}, {"--planes", " or -1"});
  expect_refusal(kSlab + Arguments{"--planes=1,2,3,4"}, {"--planes", "at most three"});
  expect_refusal(kSlab + Arguments{"--cores", "0"}, {"--cores"});
  expect_refusal(kSlab + Arguments{"--cores", "2", "--fabric", "shm"},
                 {"--cores has no effect on fft --method slab with --fabric shm"});
  expect_refusal(kSlab + Arguments{"--planes", "1", "--start", "soon"}, {"exchange, lines"});
  expect_refusal(kSlab + Arguments{"--planes="}, {"option '--planes' of fft needs a value"});
  for (const std::string number : {"0", "-1", "x"})
    expect_refusal(kSlab + Arguments{"--planes", "1", "--test-interval=" + number},
                   {"--test-interval", number});
}

TEST_F(BadTransform, OptionOfAnotherMethodIsRefused) {
  const std::vector<Arguments> slabs = {
      {"--planes", "1"}, {"--planes", "0"},        {"--planes=-1"},
      {"--window", "4"}, {"--test-interval", "1"}, {"--box-cut", "2"},
      {"--timings"},     {"--start", "lines"},     {"--taper"},
      {"--cores", "2"}};
  for (const Arguments& run : {kVolumetric, kOrbital, kRows})
    for (const Arguments& option : slabs)
      expect_refusal(run + option, {" has no effect on fft", "it works with --method slab",
                                    option[0].substr(0, 8)});
  for (const Arguments& run : {kVolumetric, kSlab, kRows})
    for (const Arguments& option : {Arguments{"--schedule", "+++"},
                                    {"--stages", "zxy"},
                                    {"--slicing", "y"},
                                    {"--variant", "bbc"}})
      expect_refusal(run + option,
                     {option[0] + " has no effect on fft", "it works with --method orbital"});
  expect_refusal(kOrbital + Arguments{"--variant", "bbc", "--schedule", "+++"},
                 {"--schedule has no effect on fft --method orbital --variant bbc (it works with "
                  "--variant cra)"});
  expect_refusal(kOrbital + Arguments{"--variant", "fox"}, {"fox", "cra, bcr, bbc"});
  expect_refusal(kOrbital + Arguments{"--transfer", "packets"},
                 {"--transfer has no effect on fft --method orbital"});
}

TEST_F(BadTransform, OptionOfNonBlockingExchangesIsRefusedOnBlockingOnes) {
  for (const std::string option : {"--window", "--test-interval"}) {
    expect_refusal(
        kSlab + Arguments{option, "4"},
        {option + " has no effect on fft --method slab with --planes 0 (it works with --planes)"});
    expect_refusal(kSlab + Arguments{option, "4", "--planes", "0"}, {option, "--planes"});
    EXPECT_EQ(run_command(kSlab + Arguments{option, "4", "--timings", "--quiet"}).exit_code, 0);
  }
  expect_refusal(
      kSlab + Arguments{"--start", "lines"},
      {"--start has no effect on fft --method slab with --planes 0 (it works with --planes)"});
  expect_refusal(
      kSlab + Arguments{"--taper"},
      {"--taper has no effect on fft --method slab with --planes 0 (it works with --planes)"});
}

TEST_F(BadTransform, StartOptionIsRefusedIfEveryExchangeBlocks) {
  const Arguments loop = kSlab + Arguments{"--loop", "1", "--start", "lines", "--planes"};
  for (const std::string planes : {"0,2", "2,0"})
    EXPECT_EQ(run_command(loop + Arguments{planes, "--quiet"}).exit_code, 0) << planes;
  expect_refusal(
      loop + Arguments{"0,0"},
      {"--start has no effect on fft --method slab with --planes 0,0 (it works with --planes)"});
  expect_refusal(
      kSlab + Arguments{"--start", "lines", "--planes", "0,2"},
      {"--start has no effect on fft --method slab with --planes 0,2 (it works with --planes)"});
}

TEST_F(BadTransform, ThreePlaneCountsWithoutBoxCutAreRefused) {
  for (const Arguments& more : {Arguments{}, {"--inverse"}, {"--timings"}, {"--loop", "2"}})
    expect_refusal(kSlab + Arguments{"--planes", "1,2,3"} + more,
                   {"--planes F,P,Q has no effect without --box-cut; give --planes F[,B]"});
}

TEST_F(BadTransform, TimingsOnMpiLayerAreRefused) {
  for (const Arguments& more : {Arguments{}, {"--planes", "2"}})
    expect_refusal(kSlab + Arguments{"--layer", "mpi", "--timings"} + more,
                   {"--timings has no effect on fft --method slab --layer mpi (it works with "
                    "--layer packets)"});
}

TEST_F(BadTransform, MeasuringWithKissFftIsRefused) {
  const Arguments kiss = {"--kernel", "kissfft"};
  expect_refusal(
      kVolumetric + kiss + Arguments{"--plan", "measure"},
      {"--plan measure has no effect on", "--kernel kissfft (it works with --kernel fftw)"});
  for (const Arguments& run : {kVolumetric, kSlab, kSlab + Arguments{"--planes", "2"}})
    expect_refusal(run + kiss + Arguments{"--wisdom", "wisdom"},
                   {"--wisdom has no effect on", "--kernel kissfft (it works with --kernel fftw)"});
  const Arguments keeps_planes = kSlab + kiss + Arguments{"--wisdom", "planes", "--planes", "-1"};
  EXPECT_EQ(run_command(keeps_planes, {.directory = directory_.path()}).exit_code, 0);
  EXPECT_NE(directory_.content_of("planes").find("kissfft"), std::string::npos);
}

TEST_F(BadTransform, UnknownOrUnusedKernelIsRefused) {
  expect_refusal(kVolumetric + Arguments{"--kernel", "kisfft"}, {"--kernel", "kissfft"});
  expect_refusal(kOrbital + Arguments{"--kernel", "fftw"},
                 {"--kernel has no effect on fft --method orbital"});
}

TEST_F(BadTransform, BatchNotMatchingTheFileIsRefused) {
  save("in.npy", {3, 4, 4, 4});
  expect_refused_in({"--batch", "2"}, {"in.npy", "first extent",
                                       "the first extent must be 2, the size of the batch"});
  expect_refused_in({}, {"3 axes", "3x4x4x4 has 4", "rows takes 1 to 6"});
  save("in.npy", {4, 4, 4});
  expect_refused_in({"--batch", "4", "--method", "volumetric"}, {"3 axes"});
  save("in.npy", {7});
  expect_refused_in({"--batch", "7"}, {"in.npy", "0 dimensions"});
}

TEST_F(BadTransform, ComplexInputOfRealTransformIsRefused) {
  save("in.npy", {4, 4, 4}, {1, 2});
  expect_refused_in({"--real"}, {"in.npy", "element 0", "is not real", "--real"});
}

TEST_F(BadTransform, InputBeyondSinglePrecisionIsRefused) {
  save("in.npy", {4, 4, 4}, {1, 1e39});
  expect_refused_in({"--precision", "single"}, {"in.npy", "element 0", "single precision"});
}

TEST_F(BadTransform, OneFileForTwoOutputsIsRefused) {
  const auto both = [](const std::string& name) {
    return kVolumetric + Arguments{"--out", name, "--wisdom", name};
  };
  testing::expect_refusal(directory_, both("same"), {"are the same file", "same"});
  testing::expect_refusal(directory_, both("-"), {"cannot write -: only --json and fft --out"});
}

TEST_F(BadTransform, InverseSizeNotMatchingItsSpectrumIsRefused) {
  save("in.npy", {4, 4, 4});
  expect_refused_in({"--real", "--inverse", "--size", "4x4x4"},
                    {"--size 4x4x4", "spectrum", "4x4x3", "in.npy", "is 4x4x4"});
  expect_refused_in({"--real", "--inverse", "--size", "4x4x8"}, {"4x4x5", "is 4x4x4"});
  expect_refused_in({"--method", "slab", "--box-cut", "2", "--inverse", "--size", "4"},
                    {"spectrum", "2x2x2", "is 4x4x4"});
  expect_refused_in({"--inverse", "--size", "5"}, {"--size 5x5x5", "is 4x4x4"});
}

TEST_F(BadTransform, FileThatIsNotWisdomIsRefused) {
  std::filesystem::create_directory(directory_ / "directory");
  directory_.save("empty-list", "(");
  directory_.save("garbage", "no wisdom\n");
  directory_.save("own-and-garbage", "toroid planes = 3\nno wisdom\n");
  directory_.save("binary", std::string("\0\1\2(fftw", 8));
  for (const std::string name : {"empty-list", "garbage", "own-and-garbage", "binary"})
    expect_refusal(kVolumetric + Arguments{"--wisdom", name},
                   {name, "is not wisdom that toroid wrote"});
  expect_refusal(kVolumetric + Arguments{"--wisdom", "directory"},
                 {"directory", "is not a regular file"});
  expect_refusal(kVolumetric + Arguments{"--wisdom", "none/file"}, {"cannot write none/file"});
}

TEST_F(BadTransform, DamagedWisdomIsRefused) {
  const Arguments measured =
      Arguments{"fft", "--torus", "2", "--size", "6", "--fabric", "shm", "--wisdom", "wisdom"};
  run_command(measured, {.directory = directory_.path()});
  const std::string whole = directory_.content_of("wisdom");
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 12) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    for (const std::string& content :
         {flipped, whole.substr(0, at + 1), whole.substr(0, at) + "(" + whole.substr(at)}) {
      directory_.save("wisdom", content);
      testing::expect_refusal(directory_, measured, {"wisdom: is not wisdom that toroid wrote"});
      EXPECT_EQ(directory_.content_of("wisdom"), content);
    }
  }
}

TEST_F(BadTransform, TransformBeyondMemoryIsRefused) {
  expect_refusal(kVolumetric + Arguments{"--batch", "4194304"}, {"needs at least", "GB"});
  expect_refusal(on("rows", "2", "4096x4096x100"), {"needs at least", "this host"});
  expect_refusal(on("slab", "2", "1290") + Arguments{"--timings"}, {"needs at least", "this host"});
}

}  // namespace
}  // namespace toroid::testing
