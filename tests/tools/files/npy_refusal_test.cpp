// Refusals of files that are not .npy files or cannot be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "hal/check.hpp"
#include "tests/tools/files/npy_bytes.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

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

std::string refusal_of_path(const std::string& path) {
  try {
    read_npy(path);
  } catch (const BadInput& reason) {
    return reason.what();
  }
  return "accepted";
}

TEST(Npy, RefusesOtherElementTypesByName) {
  for (const std::string dtype : {"<U5", "|S3", "|O", "|V8", "<i3", "<f1", "<f12", "<c4", "<b8",
                                  ">f16", "f3", "<float64", "|", "", "<", "M8[ns]", "<m8[us]"}) {
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

TEST(Npy, RefusesFilesOfOtherFormats) {
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

TEST(Npy, RefusalHasTheExpectedAndFoundNumberOfBytes) {
  const std::string header = header_of("<c8", "(3, 2)");
  EXPECT_THAT(refusal_of(file_of(header, "1234567")),
              HasSubstr("data truncated: expected 48 bytes after the header, found 7"));
  EXPECT_THAT(
      refusal_of(file_of(header, std::string(49, 'x'))),
      HasSubstr("trailing bytes after the data: expected 48 bytes after the header, found 49"));
}

TEST(Npy, RefusesAHeaderThatIsNotTheExpectedDict) {
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

TEST(Npy, RefusesMoreThan32Dimensions) {
  std::string ones;
  for (int i = 0; i < 33; ++i) ones += "1, ";
  EXPECT_THAT(refusal_of_header(header_of("<f8", "(" + ones + ")")),
              HasSubstr("more than 32 dimensions"));
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

TEST(Npy, AllocatesNothingForTheSizeThatAHeaderClaims) {
  EXPECT_THAT(refusal_of_header(header_of("<f8", "(1000000000000000000,)")),
              HasSubstr("expected 8000000000000000000 bytes after the header, found 8"));
}

TEST(Npy, RefusalIsOneLineWhateverTheFileContains) {
  EXPECT_THAT(refusal_of_header(header_of("<\n\x1b[31m\0"s, "(1,)")),
              HasSubstr("dtype <??[31m?; expected"));
}

TEST(Npy, RefusesAFileThatCannotBeRead) {
  const TemporaryDirectory directory;
  EXPECT_EQ(refusal_of_path(directory / "none.npy"),
            (directory / "none.npy: cannot be read: No such file or directory"));
  EXPECT_THAT(refusal_of_path(directory.path()), HasSubstr("Is a directory"));
  EXPECT_THAT(refusal_of_path("/dev/null"), HasSubstr("not a NumPy .npy file"));
  EXPECT_THAT(refusal_of_path("/dev/zero"), HasSubstr("not a NumPy .npy file"));
}

}  // namespace
}  // namespace toroid::testing
