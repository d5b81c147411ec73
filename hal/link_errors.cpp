#include "hal/link_errors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "hal/check.hpp"
#include "hal/direction.hpp"
#include "hal/node_and_link_names.hpp"
#include "hal/parse_number.hpp"

namespace toroid {
namespace {

LinkFault fault_named(std::string_view name) {
  const auto at = std::ranges::find(kLinkFaultNames, name);
  if (at == kLinkFaultNames.end())
    throw BadInput(
        fmt::format("'{}' is not a link fault; expected drop, corrupt, duplicate, "
                    "reorder, delay, silent or all (all but silent)",
                    shortened(name)));
  return static_cast<LinkFault>(at - kLinkFaultNames.begin());
}

}  // namespace

LinkErrors::Rate parse_link_error(std::string_view text) {
  const std::size_t at = std::min(text.find('@'), text.size());
  const std::string link(text.substr(std::min(at + 1, text.size())));
  const double errors = parse_number<double>(text.substr(0, at)).value_or(-1);
  if (!(errors >= 0) || errors > LinkErrors::kMostErrors || (at < text.size() && link.empty()))
    throw BadInput(
        fmt::format("'{}' is not a link error rate; expected errors per packet from 0 to {}, "
                    "optionally at one link, as in 1e-4 or 1e-3@(0,0,0)X+",
                    shortened(text), LinkErrors::kMostErrors));
  return {errors, link};
}

LinkFaultSet parse_link_faults(std::string_view text) {
  if (text == "all") return kNoticedFaults;
  unsigned faults = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    faults |= set_of(fault_named(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return static_cast<LinkFaultSet>(faults);
}

std::vector<double> link_error_rates(const Shape& shape, const LinkErrors& errors) {
  std::vector<double> rates(std::size_t{shape.size()} * shape.links());
  for (const auto& [rate, link] : errors.rates) {
    if (link.empty()) {
      std::ranges::fill(rates, rate);
      continue;
    }
    const auto [node, direction] = parse_link_name(shape, link);
    rates[std::size_t{node} * shape.links() + direction.index] = rate;
  }
  return rates;
}

LinkFaultDraw::LinkFaultDraw(const LinkErrors& errors, double rate, std::uint64_t seed,
                             std::uint64_t link)
    : random_(seed, link),
      rate_(rate / errors.burst),
      faults_(errors.faults),
      burst_(errors.burst),
      sound_(gap()) {}

/// The number of good transmissions between two bursts has a geometric distribution. The binary
/// digits of such a number are independent, so they are drawn one by one: digit k is 1 with the
/// odds (1 - rate)^(2^k) to 1.
std::uint64_t LinkFaultDraw::gap() {
  if (rate_ <= 0) return kNever;
  std::uint64_t gap = 0;
  double odds = 1 - rate_;
  for (unsigned digit = 0; digit < 63 && odds > 0x1p-64; ++digit, odds *= odds) {
    const double chance = odds / (1 + odds);  // at most one half
    const auto threshold = static_cast<std::uint64_t>(chance * 0x1p64);
    if (random_.next() < threshold) gap |= std::uint64_t{1} << digit;
  }
  return gap;
}

LinkFault LinkFaultDraw::fault() {
  TOROID_CHECK_EQ(sound_, 0u);
  if (burst_left_ == 0) burst_left_ = burst_;
  if (--burst_left_ == 0) sound_ = gap();
  unsigned nth = random_.below(static_cast<std::uint32_t>(std::popcount(faults_)));
  unsigned left = faults_;
  for (; nth > 0; --nth) left &= left - 1;
  return static_cast<LinkFault>(std::countr_zero(left));
}

}  // namespace toroid
