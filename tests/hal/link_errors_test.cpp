#include "hal/link_errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"

namespace toroid {
namespace {

LinkErrors with_rate(double rate) {
  LinkErrors errors;
  errors.rates = {{rate, ""}};
  return errors;
}

/// For each transmission, whether it has a fault.
std::vector<bool> drawn(const LinkErrors& errors, std::uint64_t link, std::size_t count) {
  LinkFaultDraw draw(errors, errors.rates.front().errors, 7, link);
  std::vector<bool> faults(count);
  for (std::size_t i = 0; i < count; ++i) faults[i] = draw.next().has_value();
  return faults;
}

double share_of(const std::vector<bool>& faults) {
  double sum = 0;
  for (const bool fault : faults) sum += fault ? 1 : 0;
  return sum / static_cast<double>(faults.size());
}

TEST(LinkErrors, AreParsedWithAndWithoutALink) {
  EXPECT_EQ(parse_link_error("1e-3").errors, 1e-3);
  EXPECT_EQ(parse_link_error("0").errors, 0);
  EXPECT_EQ(parse_link_error("0.25@(0,0,1)Z-").link, "(0,0,1)Z-");
}

TEST(LinkErrors, RefuseInvalidRates) {
  for (const std::string text :
       {"", "x", "-1", "0.6", "1e-3@", "nan", "inf", "1e-3x", "@(0,0,0)X+"})
    EXPECT_THROW((void)parse_link_error(text), BadInput) << text;
}

TEST(LinkErrors, RefuseUnknownFaults) {
  EXPECT_EQ(parse_link_faults("drop,silent"), set_of(LinkFault::drop) | set_of(LinkFault::silent));
  EXPECT_EQ(parse_link_faults("all"), kNoticedFaults);
  for (const std::string text : {"", "drop,", "lose", "drop;corrupt"})
    EXPECT_THROW((void)parse_link_faults(text), BadInput) << text;
}

TEST(LinkErrors, UseTheLastRateOfALink) {
  const Shape shape = Shape::parse("4x2");
  LinkErrors errors;
  errors.rates = {{1e-3, ""}, {0.5, "(1,0)X-"}, {0.25, "(1,0)X-"}};
  const auto rates = link_error_rates(shape, errors);
  ASSERT_EQ(rates.size(), 32u);
  EXPECT_EQ(rates[2 * 4 + 1], 0.25);
  EXPECT_EQ(rates[2 * 4 + 0], 1e-3);
}

TEST(LinkErrors, RefuseALinkThatTheMachineLacks) {
  LinkErrors errors;
  errors.rates = {{0.1, "(3,0)X+"}};
  EXPECT_NO_THROW((void)link_error_rates(Shape::parse("4x2"), errors));
  EXPECT_THROW((void)link_error_rates(Shape::parse("4mx2"), errors), BadInput);
}

TEST(LinkFaultDraw, HasTheGivenFaultRate) {
  for (const double rate : {0.5, 0.1, 0.003}) {
    constexpr std::size_t kCount = 400'000;
    const double deviation = std::sqrt(rate * (1 - rate) / kCount);
    EXPECT_NEAR(share_of(drawn(with_rate(rate), 3, kCount)), rate, 5 * deviation) << rate;
  }
}

/// If draws are independent, a fault is as likely after a fault as after any other transmission.
TEST(LinkFaultDraw, DrawsFaultsIndependently) {
  const auto faults = drawn(with_rate(0.2), 5, 400'000);
  std::vector<bool> after;
  for (std::size_t i = 1; i < faults.size(); ++i)
    if (faults[i - 1]) after.push_back(faults[i]);
  EXPECT_NEAR(share_of(after), 0.2, 5 * std::sqrt(0.16 / static_cast<double>(after.size())));
}

TEST(LinkFaultDraw, DrawsNoFaultsAtRateZero) {
  EXPECT_EQ(share_of(drawn(with_rate(0), 1, 10'000)), 0);
  LinkFaultDraw draw;
  EXPECT_EQ(draw.take_sound(), LinkFaultDraw::kNever);
}

TEST(LinkFaultDraw, BurstsKeepTheRate) {
  LinkErrors errors = with_rate(0.1);
  errors.burst = 5;
  const auto faults = drawn(errors, 2, 400'000);
  EXPECT_NEAR(share_of(faults), 0.1, 0.01);
  std::size_t bursts = 0;
  for (std::size_t i = 5; i < faults.size(); ++i)
    if (faults[i] && !faults[i - 1]) {
      ++bursts;
      for (std::size_t k = i; k < std::min(i + 5, faults.size()); ++k) EXPECT_TRUE(faults[k]);
    }
  EXPECT_GT(bursts, 1000u);
}

TEST(LinkFaultDraw, DrawsTheFaultsOfItsSetEquallyOften) {
  LinkErrors errors = with_rate(0.5);
  errors.faults = set_of(LinkFault::corrupt) | set_of(LinkFault::delay) | set_of(LinkFault::silent);
  LinkFaultDraw draw(errors, 0.5, 1, 1);
  std::array<unsigned, kLinkFaultNames.size()> counts{};
  for (unsigned i = 0; i < 60'000; ++i)
    if (const auto fault = draw.next()) ++counts[static_cast<std::size_t>(*fault)];
  for (std::size_t f = 0; f < counts.size(); ++f)
    EXPECT_NEAR(counts[f], (errors.faults >> f & 1u) != 0 ? 10'000 : 0, 500) << kLinkFaultNames[f];
}

TEST(LinkFaultDraw, DiffersFromLinkToLinkAndRepeatsBySeed) {
  const LinkErrors errors = with_rate(0.1);
  EXPECT_EQ(drawn(errors, 1, 5'000), drawn(errors, 1, 5'000));
  EXPECT_NE(drawn(errors, 1, 5'000), drawn(errors, 2, 5'000));
}

TEST(LinkFaultDraw, DrawsTheSameFaultsIfTheCallerCountsTransmissions) {
  const LinkErrors errors = with_rate(0.05);
  const auto faults = drawn(errors, 9, 20'000);
  LinkFaultDraw draw(errors, 0.05, 7, 9);
  std::size_t at = 0;
  while (true) {
    for (std::uint64_t sound = draw.take_sound(); sound > 0 && at < faults.size(); --sound)
      EXPECT_FALSE(faults[at++]);
    if (at >= faults.size()) break;
    (void)draw.fault();
    EXPECT_TRUE(faults[at++]);
  }
}

}  // namespace
}  // namespace toroid
