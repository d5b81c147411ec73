// Arrays from files as input of transforms. Elements that can be read in place are not converted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/plan/description.hpp"
#include "hal/check.hpp"
#include "tests/tools/files/npy_bytes.hpp"
#include "tests/tools/files/zip_bytes.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/host_array.hpp"
#include "tools/files/npy.hpp"

namespace toroid::testing {
namespace {

using Values = std::vector<std::complex<double>>;

/// Values that every element type holds exactly; real types hold their real parts.
Values exact_values(std::size_t count, bool real) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<double>(i);
    values[i] = {number + 0.5, real ? 0 : -number};
  }
  return values;
}

Values values_of(HostArray array) {
  array.hold_values();
  EXPECT_FALSE(array.borrowed);
  return array.values;
}

class ArrayIo : public ::testing::Test {
 protected:
  HostArray loaded(const std::string& content, std::int64_t batch = 1) {
    directory_.save("a.npy", content);
    return load_array(directory_ / "a.npy", {.batch = batch});
  }
  TemporaryDirectory directory_;
};

TEST_F(ArrayIo, FloatsInCOrderAreReadInPlace) {
  for (const NpyType type : {NpyType::f4, NpyType::f8, NpyType::c8, NpyType::c16}) {
    const bool real = type == NpyType::f4 || type == NpyType::f8;
    const Values values = exact_values(2 * 3 * 5, real);
    const std::string text = written({2, 3, 5}, values, type);
    for (const std::string& content : {text, gzipped(text)}) {
      const HostArray array = loaded(content);
      EXPECT_NE(array.borrowed, nullptr);
      EXPECT_TRUE(array.values.empty());
      EXPECT_EQ(array.elements(), 30u);
      EXPECT_EQ(array.at({1, 2, 4}), values[29]);
      EXPECT_EQ(values_of(array), values);
    }
  }
}

TEST_F(ArrayIo, OtherTypesAndOrdersAreConvertedToDoublePrecision) {
  const Values values = exact_values(2 * 3, true);
  const HostArray fortran = loaded(written({2, 3}, values, NpyType::f4, true));
  EXPECT_EQ(fortran.borrowed, nullptr);
  EXPECT_EQ(fortran.values, values);
  std::string swapped = written({2, 3}, values, NpyType::f4);
  swapped.replace(swapped.find("<f4"), 3, ">f4");
  for (std::size_t at = swapped.size() - 24; at < swapped.size(); at += 4) {
    std::swap(swapped[at], swapped[at + 3]);
    std::swap(swapped[at + 1], swapped[at + 2]);
  }
  const HostArray big_endian = loaded(swapped);
  EXPECT_EQ(big_endian.borrowed, nullptr);
  EXPECT_EQ(big_endian.values, values);
}

TEST_F(ArrayIo, BatchesAreReadInPlace) {
  const Values values = exact_values(3 * 2 * 4, false);
  const HostArray batch = loaded(written({3, 2, 4}, values, NpyType::c8), 3);
  EXPECT_EQ(batch.size, (Size{2, 4}));
  EXPECT_EQ(batch.volume(), 8u);
  EXPECT_EQ(values_of(batch), values);
  fft::Index last{};
  last[0] = 1;
  last[1] = 3;
  last[fft::kBatchAxis] = 2;
  EXPECT_EQ(batch.at(last), values.back());
}

TEST_F(ArrayIo, NodesTakeTheSamePartsOfBorrowedAndHeldArrays) {
  const Values values = exact_values(4 * 3 * 6, false);
  const HostArray where_it_lies = loaded(written({4, 3, 6}, values, NpyType::c16));
  HostArray held = where_it_lies;
  held.hold_values();
  fft::Box box = fft::Box::of(held.extents());
  box.lo[0] = 1;
  box.hi[2] = 5;
  const fft::NodeLayout layout = fft::NodeLayout::dense(box);
  const auto part_of = [&](const HostArray& whole) {
    NodeArray part(static_cast<std::size_t>(box.volume()), false, fft::Precision::double_);
    take_part(whole, layout, part);
    return std::vector(part.bytes().begin(), part.bytes().end());
  };
  EXPECT_EQ(part_of(where_it_lies), part_of(held));
}

TEST_F(ArrayIo, ABatchOfOneMayHaveAnAxis) {
  directory_.save("a.npy", written({1, 15}, exact_values(15, true), NpyType::f8));
  EXPECT_EQ(load_array(directory_ / "a.npy").size, (Size{1, 15}));
  const HostArray array = load_array(directory_ / "a.npy", {.may_have_batch = true});
  EXPECT_EQ(array.size, (Size{15}));
  EXPECT_TRUE(array.has_batch_axis);
  directory_.save("a.npy", written({1, 3, 5}, exact_values(15, true), NpyType::f8));
  EXPECT_EQ(load_array(directory_ / "a.npy", {.may_have_batch = true}).size, (Size{1, 3, 5}));
  directory_.save("a.npy", written({3, 5}, exact_values(15, true), NpyType::f8));
  EXPECT_EQ(load_array(directory_ / "a.npy", {.may_have_batch = true}).size, (Size{3, 5}));
  directory_.save("a.npy", written({1, 2, 3, 5}, exact_values(30, true), NpyType::f8));
  EXPECT_EQ(load_array(directory_ / "a.npy", {.may_have_batch = true}).size, (Size{2, 3, 5}));
}

/// Bit patterns: numbers that are NaN, with every bit of their payload, among them.
TEST_F(ArrayIo, RawElementsAreMovedAndWrittenBitForBit) {
  for (const std::string dtype :
       {"|b1", "|i1", ">u2", "<f2", "<i4", ">f4", "<u8", ">i8", "<c8", "<c16"})
    for (const bool fortran_order : {false, true}) {
      SCOPED_TRACE(dtype);
      const std::size_t size = std::stoul(dtype.substr(2));
      std::vector<std::byte> data(2 * 3 * 5 * size);
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte(255 - 7 * i);
      std::ostringstream file;
      write_npy(file, StoredArray{dtype, fortran_order, {2, 3, 5}, data});
      directory_.save("a.npy", file.str());
      const HostArray array = load_raw_array(directory_ / "a.npy");
      ASSERT_TRUE(array.raw);
      EXPECT_EQ(array.elements(), 30u);
      HostArray other = array;
      std::ranges::fill(other.raw->data, std::byte(0));
      const fft::NodeLayout layout = fft::NodeLayout::dense(fft::Box::of(array.extents()));
      NodeArray part(30, array.raw->bytes < 16,
                     array.raw->bytes == 4 ? fft::Precision::single : fft::Precision::double_);
      take_part(array, layout, part);
      put_part(other, layout, part);
      EXPECT_EQ(other.raw->data, array.raw->data);
      const StoredArray stored = stored_from(other);
      EXPECT_EQ(stored.dtype, dtype);
      for (std::size_t i = 0; i < 30; ++i) {
        const std::size_t in_file = fortran_order ? i / 15 + 2 * (i / 5 % 3) + 6 * (i % 5) : i;
        EXPECT_TRUE(std::ranges::equal(stored.data.subspan(i * size, size),
                                       std::span(data).subspan(in_file * size, size)));
      }
    }
}

TEST_F(ArrayIo, RefusesToMoveElementsOfMoreThan16Bytes) {
  std::ostringstream file;
  const std::vector<std::byte> data(64);
  write_npy(file, StoredArray{"<c32", false, {2}, data});
  directory_.save("a.npy", file.str());
  EXPECT_THROW((void)load_raw_array(directory_ / "a.npy"), BadInput);
}

TEST(ErrorOfArrays, KeepsNaN) {
  const Values good = {1, 2, 3};
  for (const std::size_t place : {0u, 1u, 2u}) {
    Values bad = good;
    bad[place] = std::nan("");
    for (const ArrayError& error : {compare(bad, good), compare(good, bad)}) {
      EXPECT_TRUE(std::isnan(error.max));
      EXPECT_TRUE(std::isnan(error.l2));
    }
  }
}

TEST_F(ArrayIo, RefusalNamesTheFirstNonFiniteElement) {
  Values values = exact_values(2 * 3 * 5, true);
  values[17] = std::numeric_limits<double>::infinity();
  for (const bool fortran_order : {false, true}) {
    directory_.save("a.npy", written({2, 3, 5}, values, NpyType::f8, fortran_order));
    try {
      (void)load_array(directory_ / "a.npy");
      ADD_FAILURE() << "accepted";
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("element 17 in C order"), std::string::npos)
          << error.what();
    }
  }
}

TEST(SizeText, SaysHowManyAxesThereAre) {
  EXPECT_EQ(parse_size("7"), (Size{7, 7, 7}));
  EXPECT_EQ(parse_size("7x"), (Size{7}));
  for (const std::string text : {"7x", "4x5", "4x5x6x7"})
    EXPECT_EQ(size_text(parse_size(text)), text);
  for (const std::string text : {"7xx", "x7x", "4x5x", "x"})
    EXPECT_THROW((void)parse_size(text), BadInput) << text;
}

}  // namespace
}  // namespace toroid::testing
