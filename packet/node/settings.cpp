#include "packet/node/settings.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "hal/check.hpp"

namespace toroid {
namespace {

/// Finds the first setting that is out of its range.
class SettingsFault {
 public:
  template <typename Rule, std::size_t n>
  SettingsFault& rule(std::string_view name, Rule rule,
                      const std::array<std::string_view, n>& names) {
    const auto value = static_cast<unsigned>(rule);
    return refuse_unless(value < n, name, value,
                         fmt::format("0 to {} ({})", n - 1, fmt::join(names, ", ")));
  }
  SettingsFault& number(std::string_view name, unsigned value, unsigned least, unsigned most) {
    return refuse_unless(value >= least && value <= most, name, value,
                         fmt::format("{} to {}", least, most));
  }
  SettingsFault& cycles(std::string_view name, double value) {
    return refuse_unless(value >= 0 && value <= kMostCyclesPerPacket, name, value,
                         fmt::format("0 to {}", kMostCyclesPerPacket));
  }
  const std::string& text() const { return text_; }

 private:
  template <typename Value>
  SettingsFault& refuse_unless(bool is_good, std::string_view name, Value value,
                               const std::string& expected) {
    if (!is_good && text_.empty())
      text_ = fmt::format("{} is {}, expected {}", name, value, expected);
    return *this;
  }

  std::string text_;
};

}  // namespace

std::string fault_of(const PolicySettings& settings, Rank nodes) {
  SettingsFault fault;
  if (settings.order) fault.rule("order", *settings.order, kOrderRuleNames);
  return fault.number("packets_per_visit", settings.packets_per_visit, 0, kMostPackets)
      .number("output_queues", settings.output_queues, 1, std::max(kMostQueues, nodes))
      .number("queue_capacity", settings.queue_capacity, 1, kMostPackets)
      .rule("drain", settings.drain, kDrainRuleNames)
      .rule("tying", settings.tying.rule(), kFifoTyingNames)
      .rule("routing", settings.routing, kRoutingRuleNames)
      .rule("tie", settings.tie.value_or(TieRule::alternate), kTieRuleNames)
      .cycles("cycles_per_packet", settings.throttle.cycles_per_packet)
      .number("window", settings.throttle.window, 0, kMostPackets)
      .text();
}

TieRule tie_rule_of(const PolicySettings& settings, const Machine& machine) {
  const TieRule rule = settings.tie.value_or(static_cast<TieRule>(machine.tie_choice));
  if (rule == TieRule::both && machine.both_hints == 0)
    throw BadInput(fmt::format(
        "tie both: a header of machine '{}' cannot have both hints of a dimension (both_hints = "
        "0); with alternate, packets choose when they are injected",
        machine.name));
  return rule;
}

}  // namespace toroid
