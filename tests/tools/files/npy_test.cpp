// Reading and writing of .npy files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <string>
#include <vector>

#include "tests/tools/files/npy_bytes.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Npy, ReadsEveryElementType) {
  const auto f4 = parsed(file_of(header_of("<f4", "(2,)"), bytes_of<float>({1.5F, -0.1F})));
  EXPECT_THAT(f4.shape, ElementsAre(2));
  EXPECT_THAT(f4.values, ElementsAre(Complex(1.5), Complex(-0.1F)));
  EXPECT_EQ(f4.dtype, "<f4");
  const auto f8 = parsed(file_of(header_of("<f8", "(1,)"), bytes_of<double>({0.1})));
  EXPECT_THAT(f8.values, ElementsAre(Complex(0.1)));
  const auto c8 = parsed(file_of(header_of("<c8", "(1,)"), bytes_of<float>({0.1F, 2})));
  EXPECT_THAT(c8.values, ElementsAre(Complex(0.1F, 2)));
  const auto c16 = parsed(file_of(header_of("=c16", "(1,)"), bytes_of<double>({0.1, -3})));
  EXPECT_THAT(c16.values, ElementsAre(Complex(0.1, -3)));
  EXPECT_EQ(c16.dtype, "<c16");
}

/// The elements of a file with this data.
std::vector<Complex> elements_of(const std::string& dtype, std::size_t count,
                                 const std::string& bytes) {
  const NpyArray array =
      parsed(file_of(header_of(dtype, "(" + std::to_string(count) + ",)"), bytes));
  EXPECT_EQ(array.dtype, dtype);
  return array.values;
}

TEST(Npy, ReadsIntegersOfEverySize) {
  EXPECT_THAT(elements_of("|i1", 3, "\x7f\x80\xff"), ElementsAre(127, -128, -1));
  EXPECT_THAT(elements_of("|u1", 2, "\x7f\xff"), ElementsAre(127, 255));
  EXPECT_THAT(elements_of("<i2", 2, "\1\0\0\x80"s), ElementsAre(1, -32768));
  EXPECT_THAT(elements_of(">i2", 2, "\0\1\x80\0"s), ElementsAre(1, -32768));
  EXPECT_THAT(elements_of("<u4", 1, "\xff\xff\xff\xff"), ElementsAre(4294967295.0));
  EXPECT_THAT(elements_of(">i4", 1, "\xff\xff\xff\xfe"), ElementsAre(-2));
  EXPECT_THAT(elements_of("<i8", 1, bytes_of<std::int64_t>({-(std::int64_t{1} << 53)})),
              ElementsAre(-0x1p53));
  // 2^64 - 1 and 2^53 + 1 are not doubles; they round to the nearest, ties to even.
  EXPECT_THAT(elements_of("<u8", 2, bytes_of<std::uint64_t>({~0ULL, (1ULL << 53) + 1})),
              ElementsAre(0x1p64, 0x1p53));
}

TEST(Npy, ReadsBooleansAsZeroAndOne) {
  EXPECT_THAT(elements_of("|b1", 3, "\0\1\x02"s), ElementsAre(0, 1, 1));
}

TEST(Npy, ReadsFloatsOfEitherByteOrder) {
  EXPECT_THAT(elements_of(">f4", 2, "\x3f\x80\0\0\xc0\x20\0\0"s), ElementsAre(1, -2.5));
  EXPECT_THAT(elements_of(">f8", 1, "\x40\x09\x21\xfb\x54\x44\x2d\x18"),
              ElementsAre(3.141592653589793));
  EXPECT_THAT(elements_of(">c8", 1, "\x3f\x80\0\0\xc0\x20\0\0"s), ElementsAre(Complex(1, -2.5)));
}

TEST(Npy, ReadsHalfPrecisionExactly) {
  // 1, -2, the largest, the smallest normal, the smallest, the largest subnormal, -0, 1/3 rounded.
  const auto values =
      elements_of("<f2", 8, "\x00\x3c\x00\xc0\xff\x7b\x00\x04\x01\x00\xff\x03\x00\x80\x55\x35"s);
  EXPECT_THAT(values, ElementsAre(1, -2, 65504, 0x1p-14, 0x1p-24, 0x3ffp-24, 0, 0x555p-12));
  EXPECT_TRUE(std::signbit(values[6].real()));
  const auto not_finite = elements_of(">f2", 3, "\x7c\x00\xfc\x00\x7e\x00"s);
  EXPECT_EQ(not_finite[0].real(), HUGE_VAL);
  EXPECT_EQ(not_finite[1].real(), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(not_finite[2].real()));
}

TEST(Npy, ReadsLongDoublesRoundedToDoubles) {
  if (std::numeric_limits<long double>::digits != 64) GTEST_SKIP() << "no 80-bit long double";
  std::string one_third = bytes_of<std::uint64_t>({0xaaaaaaaaaaaaaaab, 0x3ffd});
  EXPECT_THAT(elements_of("<f16", 1, one_third), ElementsAre(1.0 / 3));
  EXPECT_THAT(elements_of("<c32", 1, one_third + one_third),
              ElementsAre(Complex(1.0 / 3, 1.0 / 3)));
}

TEST(Npy, ConvertsFloatsExactly) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float huge = std::numeric_limits<float>::max();
  const auto array = parsed(file_of(header_of("<f4", "(3,)"), bytes_of<float>({tiny, huge, -0.F})));
  EXPECT_EQ(array.values[0].real(), 0x1p-149);
  EXPECT_EQ(array.values[1].real(), 0x1.fffffep127);
  EXPECT_TRUE(std::signbit(array.values[2].real()));
  EXPECT_FALSE(std::signbit(array.values[2].imag()));
}

TEST(Npy, ReadsEveryFormatVersion) {
  for (const char major : {'\1', '\2', '\3'}) {
    const auto array = parsed(file_of(header_of("<f8", "(2, 1)"), bytes_of<double>({1, 2}), major));
    EXPECT_THAT(array.shape, ElementsAre(2, 1));
    EXPECT_THAT(array.values, ElementsAre(Complex(1), Complex(2)));
  }
}

TEST(Npy, ReadsFortranOrderIntoCOrder) {
  const auto array = parsed(
      file_of(header_of("<f8", "(2, 3)", "True"), bytes_of<double>({11, 21, 12, 22, 13, 23})));
  EXPECT_THAT(array.values, ElementsAre(11, 12, 13, 21, 22, 23));
}

TEST(Npy, ReadsFortranOrderOfAnyShape) {
  for (const Extents& shape :
       {Extents{}, Extents{5}, Extents{9, 17}, Extents{1, 3, 1, 4, 1}, Extents{3, 4, 5},
        Extents{2, 3, 1, 5, 4}, Extents{10, 2, 3, 11}, Extents{3, 0, 2}}) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    std::vector<Complex> in_file(count);
    for (std::size_t c_index = 0; c_index < count; ++c_index) {
      std::size_t rest = c_index, stride = count, f_index = 0;
      for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
        stride /= *extent;
        f_index += rest % *extent * stride;
        rest /= *extent;
      }
      in_file[f_index] = counted(count)[c_index];
    }
    std::string text = "(";
    for (const std::size_t extent : shape) text += std::to_string(extent) + ", ";
    if (!shape.empty()) text.pop_back();
    std::string data(reinterpret_cast<const char*>(in_file.data()), count * sizeof(Complex));
    const auto array = parsed(file_of(header_of("<c16", text + ")", "True"), data));
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.values, counted(count)) << text;
  }
}

TEST(Npy, ReadsAScalarAndEmptyArrays) {
  const auto scalar = parsed(file_of(header_of("<f4", "()"), bytes_of<float>({7})));
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_THAT(scalar.values, ElementsAre(Complex(7)));
  const auto empty = parsed(file_of(header_of("<f4", "(3, 0, 5)", "True"), ""));
  EXPECT_THAT(empty.shape, ElementsAre(3, 0, 5));
  EXPECT_TRUE(empty.values.empty());
}

TEST(Npy, ReadsUpTo32Dimensions) {
  std::string ones;
  for (int i = 0; i < 32; ++i) ones += "1, ";
  const std::string data = bytes_of<double>({1});
  EXPECT_EQ(parsed(file_of(header_of("<f8", "(" + ones + ")"), data)).shape, Extents(32, 1));
}

TEST(Npy, ReadsAHeaderInAnyPythonSpelling) {
  const std::string data = bytes_of<float>({1, 2});
  for (const std::string header :
       {"{\"shape\":(2L,),\"descr\":\"<f4\",\"fortran_order\":False}",
        "  { 'shape' : ( 2 , 1 , ) ,\n'fortran_order':True,'descr':'<f4' } \n \n"}) {
    EXPECT_THAT(parsed(file_of(header, data)).values, ElementsAre(1, 2)) << header;
  }
}

TEST(Npy, ReadsAFileOfAnySizeFromDiskAndFromAPipe) {
  const TemporaryDirectory directory;
  for (const std::size_t count : {1U, 4088U, 100'000U}) {
    const std::string path = directory / "some.npy";
    directory.save("some.npy", written({count}, counted(count)));
    EXPECT_EQ(read_npy(path).values, counted(count));
    std::FILE* const pipe = ::popen(("cat " + path).c_str(), "r");
    EXPECT_EQ(read_npy("/dev/fd/" + std::to_string(::fileno(pipe))).values, counted(count));
    ::pclose(pipe);
  }
}

TEST(Npy, WritesTheSameHeaderAsNumPy) {
  const std::string file = written({2, 1}, counted(2), NpyType::f4);
  const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
  EXPECT_EQ(file.substr(0, 10), "\x93NUMPY\1\0\x76\0"s);
  EXPECT_EQ(file.substr(10, 0x76), dict + std::string(0x76 - dict.size() - 1, ' ') + '\n');
  EXPECT_EQ(file.substr(128), bytes_of<float>({0, 1}));
  EXPECT_THAT(written({1}, counted(1)), HasSubstr("'shape': (1,), }"));
  EXPECT_THAT(written({}, counted(1)), HasSubstr("'shape': (), }"));
}

TEST(Npy, BeginsTheDataAtAMultipleOf64) {
  for (std::size_t dimensions = 0; dimensions <= 32; ++dimensions) {
    const std::string file = written(Extents(dimensions, 1), counted(1));
    EXPECT_EQ((file.size() - 16) % 64, 0U);
    EXPECT_EQ(parsed(file).shape, Extents(dimensions, 1));
  }
}

TEST(Npy, ReadsBackWhatItWrites) {
  for (const NpyType type : {NpyType::f4, NpyType::f8, NpyType::c8, NpyType::c16}) {
    for (const bool fortran_order : {false, true}) {
      std::vector<Complex> values = counted(70'000);
      const NpyArray array = parsed(written({7, 100, 100}, values, type, fortran_order));
      if (type == NpyType::f4 || type == NpyType::f8) {
        for (Complex& value : values) value = value.real();
      }
      EXPECT_EQ(array.values, values);
    }
  }
}

TEST(Npy, FailedWriteSetsTheErrorStateOfTheStream) {
  std::ofstream full("/dev/full", std::ios::binary);
  write_npy(full, Extents{100'000}, counted(100'000));
  EXPECT_FALSE(full.flush());
}

TEST(Npy, ReadsTheSharedDensityMap) {
  const std::filesystem::path path =
      std::filesystem::path(TOROID_SOURCE_DIR) / "../shared/data/EMD-3001.npy";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const NpyArray array = read_npy(path);
  EXPECT_THAT(array.shape, ElementsAre(25, 43, 73));
  EXPECT_EQ(array.dtype, "<f4");
  EXPECT_EQ(array.values.size(), 25U * 43 * 73);
}

}  // namespace
}  // namespace toroid::testing
