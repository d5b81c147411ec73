#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "router/job/clocks.hpp"
#include "router/job/key.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

const std::string kText = "0123456789abcdef";

auto bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string hex(const Digest& digest) {
  std::string text;
  for (const std::byte b : digest) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

// python3: hmac.new(b"0123456789abcdef", struct.pack("<Q", 5) + b"hello" + b"world", "sha256")
TEST(JobKey, SignsByHmacSha256OfPurposeAndMessage) {
  EXPECT_EQ(hex(JobKey(kText).sign("hello", bytes("world"))),
            "383553d2b4049d1a6b024f843a617a3e8ee669de3935d178e254b9f41ba275b6");
}

TEST(JobKey, SignaturesForDifferentPurposesDiffer) {
  const JobKey key(kText);
  EXPECT_NE(key.sign("ab", bytes("c")), key.sign("a", bytes("bc")));
  EXPECT_EQ(key.sign("ab", bytes("c")), key.sign("ab", bytes("c")));
  EXPECT_NE(key.token("a", bytes("x")), key.token("b", bytes("x")));
}

TEST(JobKey, RandomKeysDiffer) {
  EXPECT_NE(JobKey::random().text(), JobKey::random().text());
  EXPECT_EQ(JobKey::random().text().size(), 64u);
  EXPECT_NE(random_word(), random_word());
}

TEST(JobKey, RefusesInvalidTextWithoutShowingIt) {
  for (const std::string text :
       {"", "tooshort", "with a blank in between", "with\ttab0123456789", "0123456789abcde\x7f"}) {
    try {
      const JobKey key(text);
      ADD_FAILURE() << text;
    } catch (const BadInput& error) {
      EXPECT_THAT(error.what(), HasSubstr("16 to 1024 printable characters"));
      EXPECT_TRUE(text.empty() || std::string(error.what()).find(text) == std::string::npos);
    }
  }
}

TEST(ClockOffset, UsesShortestPing) {
  job::ClockOffset offset;
  for (int i = 0; i < job::ClockOffset::kPings; ++i) {
    EXPECT_FALSE(offset.is_known());
    const std::uint64_t held_up = i == 3 ? 0 : 1000;
    offset.add_ping(5000, 105100 + held_up, 5200 + held_up);
  }
  EXPECT_TRUE(offset.is_known());
  EXPECT_EQ(offset.value().count(), 100000);
}

TEST(ClockOffset, MayBeNegative) {
  job::ClockOffset offset;
  offset.add_ping(5000, 100, 5200);
  EXPECT_EQ(offset.value().count(), -5000);
}

}  // namespace
}  // namespace toroid::testing
