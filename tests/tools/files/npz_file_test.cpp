// Reading of NumPy's .npz archives and of gzipped files, and refusals of broken ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"
#include "tests/tools/files/map_bytes.hpp"
#include "tests/tools/files/zip_bytes.hpp"
#include "tests/tools/python.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Values kSome = some_values(60, true);

std::string npy_file() {
  std::ostringstream file;
  write_npy(file, Extents{3, 4, 5}, kSome);
  return file.str();
}

NpyArray array_of(const std::string& file, std::string_view name = "a.npz") {
  // Exactly as long as the file, so that a sanitizer detects reads beyond its end.
  const std::vector<char> exact(file.begin(), file.end());
  return parse_array(std::as_bytes(std::span(exact)), name);
}

std::string archive_refusal(const std::string& file, std::string_view name = "a.npz") {
  try {
    array_of(file, name);
  } catch (const BadInput& reason) {
    EXPECT_THAT(reason.what(),
                AllOf(StartsWith(std::string(name) + ": "), ::testing::Not(HasSubstr("\n"))));
    return std::string(reason.what()).substr(name.size() + 2);
  }
  return "accepted";
}

ZipPart array_part(const std::string& name = "arr_0.npy") {
  return {.name = name, .content = npy_file()};
}

TEST(NpzFile, IsReadIfStoredDeflatedOrZip64) {
  for (const bool is_deflated : {false, true})
    for (const bool is_zip64 : {false, true})
      for (const std::string comment : {"", "a comment PK\5\6"}) {
        ZipPart part = array_part();
        part.is_deflated = is_deflated;
        part.is_zip64 = is_zip64;
        const NpyArray array = array_of(zip_bytes({part}, comment));
        EXPECT_EQ(array.shape, (Extents{3, 4, 5}));
        EXPECT_EQ(array.values, kSome);
      }
}

TEST(NpzFile, MayHoldOtherFilesInAdditionToItsArray) {
  const ZipPart readme{.name = "README", .content = "where it comes from"};
  EXPECT_EQ(array_of(zip_bytes({readme, array_part(), {.name = "folder/", .content = ""}})).values,
            kSome);
}

TEST(NpzFile, WithSeveralArraysIsRefusedWithTheirNames) {
  EXPECT_EQ(archive_refusal(zip_bytes({array_part("density.npy"), array_part("mask.npy")})),
            "holds 2 arrays; name one of them, as in FILE.npz:NAME: density, mask");
  EXPECT_THAT(archive_refusal(zip_bytes(std::vector(12, array_part("x\n.npy")))),
              AllOf(StartsWith("holds 12 arrays; name one of them, as in FILE.npz:NAME: x?, x?"),
                    ::testing::EndsWith(", ...")));
}

TEST(NpzFile, WithoutAnArrayIsRefused) {
  EXPECT_THAT(archive_refusal(zip_bytes({})), StartsWith("holds no array"));
  EXPECT_THAT(archive_refusal(zip_bytes({{.name = "README", .content = "x"}})),
              StartsWith("holds no array, i.e. none of its 1 members"));
}

TEST(NpzFile, IsRefusedIfEncryptedOrCompressedByOtherMethods) {
  ZipPart part = array_part();
  part.flags = 1;
  EXPECT_EQ(archive_refusal(zip_bytes({part})), "array arr_0: is encrypted");
  part.flags = 0;
  for (const int method : {12, 14, 77, 93}) {  // bzip2, LZMA, none, Zstandard
    part.method = method;
    EXPECT_THAT(archive_refusal(zip_bytes({part})), StartsWith("array arr_0: zip archive"));
  }
  part.method = 77;
  EXPECT_EQ(archive_refusal(zip_bytes({part})),
            "array arr_0: zip archive: compression method 77 is not supported");
}

TEST(NpzFile, IsRefusedIfDamaged) {
  ZipPart part = array_part();
  part.crc_change = 1;
  EXPECT_THAT(archive_refusal(zip_bytes({part})), HasSubstr("array arr_0: zip archive: CRC error"));
  part.is_deflated = true;
  EXPECT_THAT(archive_refusal(zip_bytes({part})), HasSubstr("array arr_0: zip archive: CRC error"));
  part.crc_change = 0;
  for (const std::int64_t change : {-1, 1, 1'000'000'000}) {
    part.size_change = change;
    EXPECT_THAT(archive_refusal(zip_bytes({part})), StartsWith("array arr_0: zip archive"));
  }
  part.is_deflated = false;
  EXPECT_THAT(archive_refusal(zip_bytes({part})), StartsWith("array arr_0: zip archive"));
}

TEST(NpzFile, WithABrokenArrayIsRefusedWithTheArraysName) {
  EXPECT_EQ(archive_refusal(zip_bytes({{.name = "x.npy", .content = npy_file().substr(0, 200)}})),
            "array x: data truncated: expected 960 bytes after the header, found 72");
}

TEST(NpzFile, IsRefusedIfTruncatedAnywhere) {
  for (const bool is_zip64 : {false, true}) {
    ZipPart part = array_part();
    part.is_deflated = true;
    part.is_zip64 = is_zip64;
    const std::string file = zip_bytes({part});
    for (std::size_t size = 0; size < file.size(); ++size)
      EXPECT_NE(archive_refusal(file.substr(0, size)), "accepted") << size;
    EXPECT_THAT(archive_refusal(file.substr(0, file.size() - 1)),
                StartsWith("zip archive truncated or damaged"));
  }
}

TEST(NpzFile, IsReadCorrectlyOrRefusedIfAnyByteChanges) {
  ZipPart part = array_part();
  part.is_deflated = true;
  part.is_zip64 = true;
  const std::string file = zip_bytes({part});
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string changed = file;
      changed[at] = static_cast<char>(changed[at] ^ change);
      if (archive_refusal(changed) != "accepted") continue;
      EXPECT_EQ(array_of(changed).values, kSome) << at;
    }
}

TEST(NpzFile, WrittenByNumPyIsRead) {
  const TemporaryDirectory directory;
  const std::string python = python_with("numpy");
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy";
  ASSERT_TRUE(run_python(python, directory, R"(
import numpy as np
a = (np.arange(60) * 37 % 101 - 50).reshape(3, 4, 5)
for code in ('i2', '>f4', 'f8', 'c16'):
  b = np.asfortranarray(a.astype(code))
  np.savez(code + 'stored.npz', b)
  np.savez_compressed(code + 'deflated.npz', density=b)
np.savez('two.npz', a, mask=a > 0)
)"));
  const Values expected = some_values(60, false);
  for (const std::string code : {"i2", ">f4", "f8", "c16"})
    for (const std::string way : {"stored", "deflated"}) {
      const NpyArray array = read_array(directory / (code + way + ".npz"));
      EXPECT_EQ(array.shape, (Extents{3, 4, 5}));
      EXPECT_EQ(array.values, expected) << code << ' ' << way;
    }
  EXPECT_EQ(read_array(directory / "two.npz:arr_0").values, expected);
  EXPECT_EQ(read_array(directory / "two.npz:mask").shape, (Extents{3, 4, 5}));
  std::filesystem::copy_file(directory / "two.npz", directory / "TWO.NPZ");
  EXPECT_EQ(read_array(directory / "TWO.NPZ:arr_0").values, expected);
  try {
    read_array(directory / "two.npz:masks");
    ADD_FAILURE() << "accepted";
  } catch (const BadInput& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("two.npz: holds no array 'masks'; it holds "));
  }
  try {
    read_array(directory / "two.npz");
    ADD_FAILURE() << "accepted";
  } catch (const BadInput& reason) {
    EXPECT_THAT(reason.what(),
                HasSubstr("two.npz: holds 2 arrays; name one of them, as in FILE.npz:NAME: "));
    EXPECT_THAT(reason.what(), AllOf(HasSubstr("arr_0"), HasSubstr("mask")));
  }
}

TEST(ArrayFile, IsReadByContentWhateverItsName) {
  const std::string map = map_bytes({.nx = 2, .mode = 0, .elements = std::string("\1\2", 2)});
  for (const std::string name : {"a.npy", "a.npz", "a.map", "a", "standard input"}) {
    EXPECT_EQ(array_of(npy_file(), name).values, kSome);
    EXPECT_EQ(array_of(zip_bytes({array_part()}), name).values, kSome);
    EXPECT_EQ(array_of(map, name).values, (Values{1, 2}));
    EXPECT_EQ(array_of(gzipped(map), name).values, (Values{1, 2}));
    EXPECT_EQ(array_of(gzipped(npy_file()), name).values, kSome);
  }
}

TEST(ArrayFile, OfUnknownFormatIsRefusedAccordingToItsName) {
  const std::string file(2000, 'x');
  EXPECT_THAT(archive_refusal(file, "a.npy"), HasSubstr("not a NumPy .npy file"));
  EXPECT_THAT(archive_refusal(file, "a.NPZ"), HasSubstr("not an .npz archive"));
  for (const std::string name : {"a.map", "a.MRC", "a.ccp4", "a.map.gz"})
    EXPECT_THAT(archive_refusal(file, name), HasSubstr("field MAP in word 53 is 78 78 78 78"));
  EXPECT_THAT(archive_refusal(file, "a.dat"),
              AllOf(HasSubstr(".npy"), HasSubstr(".npz"), HasSubstr("'MAP '")));
}

TEST(ArrayFile, IsRefusedIfItsCompressedDataIsDamaged) {
  const std::string file = gzipped(npy_file());
  for (std::size_t size = 2; size < file.size(); ++size)
    EXPECT_EQ(archive_refusal(file.substr(0, size)), "compressed data truncated");
  EXPECT_EQ(archive_refusal(file + "xy"), "2 trailing bytes after the gzip data");
  std::string changed = file;
  changed[file.size() - 6] ^= 1;  // a bit of the CRC
  EXPECT_EQ(archive_refusal(changed), "compressed data damaged: incorrect data check");
}

}  // namespace
}  // namespace toroid::testing
