#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <ios>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "tools/io/npy/npy.hpp"

namespace toroid {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Complex = std::complex<double>;
using Extents = std::vector<std::size_t>;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "npy_test.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  fs::path operator/(std::string_view name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T& value : values) {
    const auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    bytes.append(raw.begin(), raw.end());
  }
  return bytes;
}

/// A file made by hand; the header is not padded.
std::string file_of(const std::string& header, const std::string& data, char major = 1) {
  std::string file = "\x93NUMPY"s + major + '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  if (major > 1) file += "\0\0"s;
  return file + header + data;
}

std::string header_of(const std::string& dtype, const std::string& shape,
                      const std::string& order = "False") {
  return "{'descr': '" + dtype + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

NpyArray parsed(const std::string& file) {
  // Exactly as long as the file, so that a sanitizer sees a byte too many.
  const std::vector<char> exact(file.begin(), file.end());
  return parse_npy(std::as_bytes(std::span(exact)), "a.npy");
}

std::string refusal_of(const std::string& file) {
  try {
    parsed(file);
  } catch (const BadInput& reason) {
    const std::string what = reason.what();
    EXPECT_THAT(what, ::testing::StartsWith("a.npy: "));
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
  return "accepted";
}

std::string refusal_of_header(const std::string& header) {
  return refusal_of(file_of(header, "12345678"));
}

std::string refusal_of_path(const fs::path& path) {
  try {
    read_npy(path);
  } catch (const BadInput& reason) {
    return reason.what();
  }
  return "accepted";
}

std::string written(const Extents& shape, const std::vector<Complex>& values,
                    NpyType type = NpyType::c16, bool fortran_order = false) {
  std::ostringstream out;
  write_npy(out, shape, values, type, fortran_order);
  return out.str();
}

std::vector<Complex> counted(std::size_t count) {
  std::vector<Complex> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.emplace_back(static_cast<double>(i), -0.5 * static_cast<double>(i));
  }
  return values;
}

void save(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

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
  EXPECT_EQ(c16.dtype, "=c16");
}

/// The elements, which follow one another in `bytes`.
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
  // 2^64 - 1 and 2^53 + 1 are no doubles: the nearest, of two the even one.
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
  EXPECT_THAT(refusal_of(file_of(header_of("<f8", "(1, " + ones + ")"), data)),
              HasSubstr("more than 32 dimensions"));
}

TEST(Npy, ReadsAHeaderInAnyPythonSpelling) {
  const std::string data = bytes_of<float>({1, 2});
  for (const std::string header :
       {"{\"shape\":(2L,),\"descr\":\"<f4\",\"fortran_order\":False}",
        "  { 'shape' : ( 2 , 1 , ) ,\n'fortran_order':True,'descr':'<f4' } \n \n"}) {
    EXPECT_THAT(parsed(file_of(header, data)).values, ElementsAre(1, 2)) << header;
  }
}

TEST(Npy, RefusesOtherElementTypesByName) {
  for (const std::string dtype : {"<U5", "|S3", "|O", "|V8", "<i3", "<f1", "<f12", "<c4", "<b8",
                                  ">f16", "f4", "|f4", "|i2", "", "<", "M8[ns]", "<m8[us]"}) {
    const std::string refusal = refusal_of_header(header_of(dtype, "(1,)"));
    EXPECT_EQ(refusal, "a.npy: unsupported dtype " + dtype +
                           "; expected b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16 in either byte "
                           "order, <f16 or <c32");
  }
}

TEST(Npy, RefusesAStructuredTypeByName) {
  const std::string header =
      "{'descr': [('x', '<f4'), ('y', '<f4', (2,))], 'fortran_order': False, 'shape': (1,), }";
  EXPECT_THAT(refusal_of_header(header),
              HasSubstr("unsupported dtype [('x', '<f4'), ('y', '<f4', (2,))]; expected b1,"));
  EXPECT_THAT(refusal_of_header("{'descr': [[["), HasSubstr("unsupported dtype [[[;"));
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  for (const std::string& file : {""s, "\x93NUMP"s, "PK\3\4 a zip archive"s, "\x93NUMPX\1\0"s}) {
    EXPECT_THAT(refusal_of(file), HasSubstr("not a NumPy .npy file"));
  }
}

TEST(Npy, RefusesAnUnknownVersion) {
  for (const std::string& version : {"\0\0"s, "\4\0"s, "\1\1"s, "\xff\xff"s}) {
    EXPECT_THAT(refusal_of("\x93NUMPY" + version + "\1\0{"s), HasSubstr("unknown .npy format"));
  }
}

TEST(Npy, RefusesEveryTruncation) {
  for (const char major : {'\1', '\2'}) {
    const std::string file = file_of(header_of("<f8", "(1,)"), "12345678", major);
    for (std::size_t size = 0; size < file.size(); ++size) {
      const std::string refusal = refusal_of(file.substr(0, size));
      EXPECT_THAT(refusal, ::testing::AnyOf(HasSubstr("truncated"), HasSubstr("not a NumPy")));
    }
  }
}

TEST(Npy, SaysHowManyBytesAreMissingOrTooMany) {
  const std::string header = header_of("<c8", "(3, 2)");
  EXPECT_THAT(refusal_of(file_of(header, "1234567")),
              HasSubstr("data truncated: expected 48 bytes after the header, found 7"));
  EXPECT_THAT(
      refusal_of(file_of(header, std::string(49, 'x'))),
      HasSubstr("trailing bytes after the data: expected 48 bytes after the header, found 49"));
}

TEST(Npy, RefusesAHeaderThatIsNotTheDict) {
  const std::string descr = "'descr': '<f8', ", order = "'fortran_order': False, ",
                    shape = "'shape': (1,), ";
  EXPECT_THAT(refusal_of_header("{" + order + shape + "}"), HasSubstr("'descr' is missing"));
  EXPECT_THAT(refusal_of_header("{" + descr + shape + "}"),
              HasSubstr("'fortran_order' is missing"));
  EXPECT_THAT(refusal_of_header("{" + descr + order + "}"), HasSubstr("'shape' is missing"));
  EXPECT_THAT(refusal_of_header("{" + descr + order + shape + shape + "}"),
              HasSubstr("duplicate key 'shape'"));
  EXPECT_THAT(refusal_of_header("{" + descr + order + shape + "'more': 1}"),
              HasSubstr("unknown key 'more'"));
  for (const std::string malformed :
       {"", "{", "{,}", "[1]", "{'descr", "{'descr'", "{'descr':", "{'descr': <f8}", "{'descr': 8}",
        "{'fortran_order': 1}", "{'fortran_order': false}", "{descr: 1}"}) {
    EXPECT_THAT(refusal_of_header(malformed), HasSubstr("malformed header: expected "));
  }
  EXPECT_THAT(refusal_of_header("{" + descr + order + shape + "} x"),
              HasSubstr("expected the end of the header at offset 58, found x"));
}

TEST(Npy, RefusesAMalformedShape) {
  for (const std::string shape : {"3", "(3)", "[3]", "(3,,)", "(,)", "(3, 4", "(3.0,)", "(0x10,)",
                                  "('3',)", "(None,)", "(1 2)", "(True,)"}) {
    EXPECT_THAT(refusal_of_header(header_of("<f8", shape)), HasSubstr("malformed header")) << shape;
  }
  EXPECT_THAT(refusal_of_header(header_of("<f8", "(2, -1)")), HasSubstr("negative extent"));
}

TEST(Npy, RefusesAShapeThatOverflows) {
  const std::string much = "1000000000000000000";
  EXPECT_THAT(refusal_of_header(header_of("<f8", "(99999999999999999999,)")),
              HasSubstr("too large an extent"));
  for (const std::string& shape :
       {"(" + much + ", " + much + ")", "(" + much + ", 0, " + much + ")",
        "(0, 18446744073709551615)"s, "(2305843009213693952,)"s}) {
    EXPECT_THAT(refusal_of_header(header_of("<f8", shape)), HasSubstr("too many elements"))
        << shape;
  }
}

TEST(Npy, AllocatesNothingForAClaimOfTheHeader) {
  EXPECT_THAT(refusal_of_header(header_of("<f8", "(1000000000000000000,)")),
              HasSubstr("expected 8000000000000000000 bytes after the header, found 8"));
}

TEST(Npy, RefusesInOneLineWhateverIsInTheFile) {
  EXPECT_THAT(refusal_of_header(header_of("<\n\x1b[31m\0"s, "(1,)")),
              HasSubstr("dtype <??[31m?; expected"));
}

TEST(Npy, RefusesAFileThatCannotBeRead) {
  const TemporaryDirectory directory;
  EXPECT_EQ(refusal_of_path(directory / "none.npy"),
            (directory / "none.npy: cannot be read: No such file or directory").string());
  EXPECT_THAT(refusal_of_path(directory.path()), HasSubstr("Is a directory"));
  EXPECT_THAT(refusal_of_path("/dev/null"), HasSubstr("not a NumPy .npy file"));
  EXPECT_THAT(refusal_of_path("/dev/zero"), HasSubstr("not a NumPy .npy file"));
}

TEST(Npy, ReadsAFileOfAnySizeFromDiskAndFromAPipe) {
  const TemporaryDirectory directory;
  for (const std::size_t count : {1U, 4088U, 100'000U}) {
    const fs::path path = directory / "some.npy";
    save(path, written({count}, counted(count)));
    EXPECT_EQ(read_npy(path).values, counted(count));
    std::FILE* const pipe = ::popen(("cat " + path.string()).c_str(), "r");
    EXPECT_EQ(read_npy("/dev/fd/" + std::to_string(::fileno(pipe))).values, counted(count));
    ::pclose(pipe);
  }
}

TEST(Npy, WritesAHeaderAsNumPyDoes) {
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

TEST(Npy, LeavesAFailureToWriteInTheStream) {
  std::ofstream full("/dev/full", std::ios::binary);
  write_npy(full, Extents{100'000}, counted(100'000));
  EXPECT_FALSE(full.flush());
}

TEST(Npy, ReadsTheSharedDensityMap) {
  const fs::path path = fs::path(TOROID_SOURCE_DIR) / "../shared/data/EMD-3001.npy";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const NpyArray array = read_npy(path);
  EXPECT_THAT(array.shape, ElementsAre(25, 43, 73));
  EXPECT_EQ(array.dtype, "<f4");
  EXPECT_EQ(array.values.size(), 25U * 43 * 73);
}

/// Runs Python with `script` in `directory`; true if it succeeded.
bool python(const std::string& interpreter, const fs::path& directory, const std::string& script) {
  const fs::path file = directory / "script.py";
  save(file, script);
  const std::string command = "cd '" + directory.string() + "' && " + interpreter + " script.py";
  return std::system(command.c_str()) == 0;
}

/// A Python interpreter with NumPy, or empty.
std::string numpy_interpreter(const fs::path& directory) {
  for (const std::string interpreter : {"/usr/bin/python3", "python3"}) {
    if (python("2>/dev/null " + interpreter, directory, "import numpy")) return interpreter;
  }
  return "";
}

// The same array as counted(), in Python.
constexpr const char* kNumPyArray =
    "import numpy as np\n"
    "def counted(*shape):\n"
    "  i = np.arange(np.prod(shape, dtype=int))\n"
    "  return (i - 0.5j * i).reshape(shape)\n";

TEST(Npy, ReadsWhatNumPyWrites) {
  const TemporaryDirectory directory;
  const std::string interpreter = numpy_interpreter(directory.path());
  if (interpreter.empty()) GTEST_SKIP() << "no python3 with numpy";
  ASSERT_TRUE(python(interpreter, directory.path(), kNumPyArray + R"(
for version in (1, 2, 3):
  for code in ('f4', 'f8', 'c8', 'c16'):
    for order in 'CF':
      a = counted(3, 1, 20, 9)
      a = np.array(a if code[0] == 'c' else a.real, dtype='<' + code, order=order)
      with open(f'{version}{code}{order}.npy', 'wb') as f:
        np.lib.format.write_array(f, a, (version, 0))
)"s));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    if (entry.path().extension() != ".npy") continue;
    ++files;
    std::vector<Complex> values = counted(540);
    const NpyArray array = read_npy(entry.path());
    EXPECT_EQ(array.shape, (Extents{3, 1, 20, 9}));
    if (array.dtype[1] == 'f') {
      for (Complex& value : values) value = value.real();
    }
    EXPECT_EQ(array.values, values) << entry.path();
  }
  EXPECT_EQ(files, 24);
}

// Of every type its extremes, and numbers of all its bits; beside it what NumPy converts it to.
TEST(Npy, ReadsEveryTypeThatNumPyWritesInEitherOrder) {
  const TemporaryDirectory directory;
  const std::string interpreter = numpy_interpreter(directory.path());
  if (interpreter.empty()) GTEST_SKIP() << "no python3 with numpy";
  ASSERT_TRUE(python(interpreter, directory.path(), R"(
import numpy as np
random = np.random.default_rng(7)
codes = 'b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16'.split()
if np.finfo(np.longdouble).nmant == 63:
  codes += ['f16', 'c32']
def some(dtype, count):
  if dtype.kind in 'iu':
    info = np.iinfo(dtype)
    few = np.array([info.min, info.max, 0, 1], dtype)
    return np.concatenate([few, random.integers(info.min, info.max, count - 4, dtype, True)])
  if dtype.kind == 'b':
    return random.integers(0, 2, count).astype(dtype)
  if dtype.kind == 'c':
    part = np.dtype('f%d' % (dtype.itemsize // 2))
    return (some(part, count) + 1j * some(part, count)[::-1]).astype(dtype)
  info = np.finfo(dtype)
  few = np.array([info.smallest_subnormal, info.max, info.tiny, -0.0, 1 / 3], dtype)
  if dtype.itemsize == 16:
    few = np.array([0.1, 1e300, -2.0**-1000, -0.0, 1 / 3], dtype) / 3
  rest = random.standard_normal(count - len(few)) * 10.0 ** random.integers(-4, 4, count - len(few))
  return np.concatenate([few, rest.astype(dtype)])
for code in codes:
  for order in '<>':
    dtype = np.dtype(code).newbyteorder(order)
    if dtype.byteorder == '>' and code in ('f16', 'c32'):
      continue
    for layout in 'CF':
      a = np.array(some(np.dtype(code), 3 * 4 * 5).reshape(3, 4, 5), dtype=dtype, order=layout)
      name = code + ('little' if order == '<' else 'big') + layout
      np.save(name + '.of.npy', a)
      np.save(name + '.as.npy', a.astype('<c16', order='C'))
)"s));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(directory.path())) {
    const std::string path = entry.path();
    if (!path.ends_with(".of.npy")) continue;
    ++files;
    const NpyArray array = read_npy(path);
    const NpyArray expected = read_npy(path.substr(0, path.size() - 7) + ".as.npy");
    EXPECT_EQ(array.shape, (Extents{3, 4, 5}));
    EXPECT_EQ(array.values, expected.values) << path << ' ' << array.dtype;
  }
  EXPECT_GE(files, 14 * 4);
}

TEST(Npy, WritesWhatNumPyReads) {
  const TemporaryDirectory directory;
  const std::string interpreter = numpy_interpreter(directory.path());
  if (interpreter.empty()) GTEST_SKIP() << "no python3 with numpy";
  constexpr std::array<NpyType, 4> kTypes = {NpyType::f4, NpyType::f8, NpyType::c8, NpyType::c16};
  for (std::size_t type = 0; type < kTypes.size(); ++type) {
    for (const bool order : {false, true}) {
      const std::string suffix = std::to_string(type) + (order ? "F.npy" : "C.npy");
      save(directory / ("a" + suffix), written({3, 20, 9}, counted(540), kTypes[type], order));
      save(directory / ("b" + suffix), written({}, counted(1), kTypes[type], order));
      save(directory / ("c" + suffix), written({0}, {}, kTypes[type], order));
    }
  }
  EXPECT_TRUE(python(interpreter, directory.path(), kNumPyArray + R"(
for name, shape in (('a', (3, 20, 9)), ('b', ()), ('c', (0,))):
  for type, code in enumerate(('f4', 'f8', 'c8', 'c16')):
    for order in 'CF':
      a = np.load(f'{name}{type}{order}.npy')
      assert a.dtype.str == '<' + code and a.shape == shape, (a.dtype, a.shape)
      assert a.flags[order + '_CONTIGUOUS'], a.flags
      e = counted(*shape)
      assert np.array_equal(a, e if code[0] == 'c' else e.real), (name, code, order)
)"s));
}

}  // namespace
}  // namespace toroid
