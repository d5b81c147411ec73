// Byte counts with units, and ranges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "tools/text/numbers.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr NumberLimits kLoads{1e-6, 100};

template <typename Parse>
std::string refusal_of(const Parse& parse) {
  try {
    (void)parse();
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
  return "accepted";
}

std::string refused_bytes(const std::string& text, const ByteLimits& limits = {}) {
  return refusal_of([&] { return parse_bytes(text, limits); });
}
std::string refused_sizes(const std::string& text) {
  return refusal_of([&] { return parse_byte_counts(text, {.min = 1, .max = 1u << 30}); });
}
std::string refused_numbers(const std::string& text) {
  return refusal_of([&] { return parse_numbers(text, kLoads); });
}

TEST(ByteCount, AcceptsSiAndIecUnits) {
  EXPECT_EQ(parse_bytes("480", {}), 480u);
  EXPECT_EQ(parse_bytes("480B", {}), 480u);
  EXPECT_EQ(parse_bytes("64kB", {}), 64'000u);
  EXPECT_EQ(parse_bytes("64 kB", {}), 64'000u);
  EXPECT_EQ(parse_bytes("1KiB", {}), 1024u);
  EXPECT_EQ(parse_bytes("2MiB", {}), 2u << 20);
  EXPECT_EQ(parse_bytes("1.5KiB", {}), 1536u);
  EXPECT_EQ(parse_bytes("0.24kB", {}), 240u);
  EXPECT_EQ(parse_bytes("3GB", {}), 3'000'000'000u);
  EXPECT_EQ(parse_bytes("4GiB", {.max = std::uint64_t{1} << 32}), std::uint64_t{1} << 32);
  EXPECT_EQ(parse_bytes("007", {}), 7u);
}

TEST(ByteCount, UsesTheOptionsUnitByDefault) {
  const ByteLimits megabytes{.unit = 1e6};
  EXPECT_EQ(parse_bytes("64", megabytes), 64'000'000u);
  EXPECT_EQ(parse_bytes("64KiB", megabytes), 65536u);
}

TEST(ByteCount, SuggestsTheNearestUnit) {
  EXPECT_EQ(refused_bytes("1KB"),
            "'1KB': unknown unit 'KB'; did you mean 'kB'? known: B, kB, KiB, MB, MiB, GB, GiB");
  EXPECT_THAT(refused_bytes("1kib"), HasSubstr("did you mean 'KiB'?"));
  EXPECT_THAT(refused_bytes("1Kib"), HasSubstr("did you mean 'KiB'?"));
  EXPECT_THAT(refused_bytes("1ns"), HasSubstr("unknown unit 'ns'; "));
  EXPECT_THAT(refused_bytes("1e3"), HasSubstr("unknown unit 'e3'"));
}

TEST(ByteCount, RefusesFractionsSignsAndNumbersOutOfLimits) {
  for (const std::string text : {"", "-1", "+1", " 1", "KiB", ".5KiB", "1.KiB", "1.2.3kB", "1.5",
                                 "0.3B", "0.1KiB", "99999999999999999999", "9999999999GiB", "nan"})
    EXPECT_THAT(refused_bytes(text), AllOf(HasSubstr("'" + text + "' is not a whole number"),
                                           HasSubstr("units such as KiB")));
  EXPECT_THAT(refused_bytes("5GiB", {.min = 1, .max = 1u << 30}),
              HasSubstr("'5GiB' is not a whole number from 1 to 1073741824"));
  EXPECT_THAT(refused_bytes("0", {.min = 1}), HasSubstr("'0'"));
}

TEST(Range, AcceptsSteps) {
  EXPECT_THAT(parse_byte_counts("1KiB:4KiB:1KiB", {}), ElementsAre(1024, 2048, 3072, 4096));
  EXPECT_THAT(parse_byte_counts("8:30:8", {}), ElementsAre(8, 16, 24));
  EXPECT_THAT(parse_byte_counts("8:8:1", {}), ElementsAre(8));
  EXPECT_THAT(parse_byte_counts("480", {}), ElementsAre(480));
}

TEST(Range, AcceptsFactors) {
  EXPECT_THAT(parse_byte_counts("1KiB:64KiB:x2", {}),
              ElementsAre(1024, 2048, 4096, 8192, 16384, 32768, 65536));
  EXPECT_THAT(parse_byte_counts("10:100:x1.5", {}), ElementsAre(10, 15, 22, 33, 50, 75));
  EXPECT_THAT(parse_numbers("0.1:1:x3", kLoads), ElementsAre(0.1, 0.3, 0.9));
}

TEST(Range, HasExactDecimals) {
  EXPECT_THAT(parse_numbers("0.1:1.0:0.1", kLoads),
              ElementsAre(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0));
  EXPECT_THAT(parse_numbers("0.05:0.2:0.05", kLoads), ElementsAre(0.05, 0.1, 0.15, 0.2));
  EXPECT_THAT(parse_numbers("0.25", kLoads), ElementsAre(0.25));
}

TEST(Range, OfCountsHasStepOneByDefault) {
  EXPECT_THAT(parse_counts("3:6", {}), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(parse_counts("3:3", {}), ElementsAre(3));
  EXPECT_THAT(parse_counts("3:9:3", {}), ElementsAre(3, 6, 9));
  EXPECT_THAT(parse_counts("1:9:x3", {}), ElementsAre(1, 3, 9));
  EXPECT_THAT(parse_counts("7", {}), ElementsAre(7));
  const auto refused = [](const std::string& text) {
    return refusal_of([&] { return parse_counts(text, {.min = 1, .max = 1u << 20}); });
  };
  EXPECT_THAT(refused("10:1"), AllOf(HasSubstr("range '10:1'"), HasSubstr("FROM is above TO")));
  EXPECT_THAT(refused("1:20000"), HasSubstr("more than 10000 values"));
  EXPECT_THAT(refused("1:"), HasSubstr("''"));
  EXPECT_THAT(refused("0:3"), HasSubstr("'0'"));
}

TEST(Range, RefusesInvalidRanges) {
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {"1:2", "the step is missing"},
      {"1:2:3:4", "more than three parts"},
      {"2:1:1", "FROM is above TO"},
      {"1:2:x1", "not a number above 1"},
      {"1:2:x", "not a number above 1"},
      {"1:2:xtwo", "not a number above 1"},
      {"1:1000000:1", "more than 10000 values"},
      {"1:9:x1.1", "two values are equal"}};
  for (const auto& [text, why] : refusals)
    EXPECT_THAT(refused_sizes(text),
                AllOf(HasSubstr("range '" + text + "'"), HasSubstr(why), HasSubstr("8:64:x2")));
  EXPECT_THAT(refused_sizes("1KB:2KB:x2"), HasSubstr("did you mean 'kB'?"));
  EXPECT_THAT(refused_sizes("1:4GiB:x2"), HasSubstr("'4GiB'"));
  EXPECT_THAT(refused_sizes("1:5:0"), HasSubstr("'0'"));
  EXPECT_THAT(refused_numbers("0.1:1.0:0"), HasSubstr("step is not a number above 0"));
  EXPECT_THAT(refused_numbers("0.1:1.0:-0.1"), HasSubstr("step is not a number above 0"));
  EXPECT_THAT(refused_numbers("0.1:200:0.1"), HasSubstr("'200' is not a number from 1e-06 to 100"));
  EXPECT_THAT(refused_numbers("0.1:1.0:0.1x"), HasSubstr("step is not"));
  EXPECT_THAT(refused_numbers("nan"), HasSubstr("'nan'"));
}

}  // namespace
}  // namespace toroid::testing
