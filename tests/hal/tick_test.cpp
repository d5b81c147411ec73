#include "hal/tick.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "hal/check.hpp"

namespace toroid {
namespace {

using ::testing::HasSubstr;

TEST(WholeCycles, RoundUp) {
  EXPECT_EQ(whole_cycles(0, "nothing"), 0u);
  EXPECT_EQ(whole_cycles(0.25, "a bit"), 1u);
  EXPECT_EQ(whole_cycles(7, "a week"), 7u);
  EXPECT_EQ(whole_cycles(0x1p62, "all of it"), kLastTick);
}

TEST(WholeCycles, IgnoreTheNoiseOfRounding) {
  EXPECT_EQ(whole_cycles(540.0000000000001, "a packet"), 540u);
  EXPECT_EQ(whole_cycles(539.9999999999999, "a packet"), 540u);
  EXPECT_EQ(whole_cycles(540.0000000001, "a packet"), 541u);
  EXPECT_EQ(whole_cycles(0x1p52 + 1, "many packets"), (Tick{1} << 52) + 1);
  EXPECT_EQ(whole_cycles(std::numeric_limits<double>::min(), "hardly anything"), 1u);
}

TEST(WholeCycles, RefusalNamesWhatTakesLongerThanVirtualTimeLasts) {
  for (const double cycles : {0x1p62 * 1.01, 1e300, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT([&] { (void)whole_cycles(cycles, "a line (fft_cycles_factor)"); },
                ::testing::ThrowsMessage<BadInput>(HasSubstr("a line (fft_cycles_factor) takes")));
}

}  // namespace
}  // namespace toroid
