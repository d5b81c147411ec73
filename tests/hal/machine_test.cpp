#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"

namespace toroid {
namespace {

const MachineField& field(std::string_view key) {
  for (const MachineField& f : machine_fields())
    if (f.key == key) return f;
  throw std::logic_error(std::string(key));
}

std::size_t bytes_of(const MachineField& f) {
  return std::visit([](auto member) { return sizeof(Machine{}.*member); }, f.member);
}

TEST(MachineFields, CoverEveryNumberOfTheMachine) {
  std::size_t bytes = sizeof(Machine::name) + sizeof(Machine::sources);  // not numbers
  for (const MachineField& f : machine_fields()) bytes += bytes_of(f);
  EXPECT_LE(bytes, sizeof(Machine));
  EXPECT_LT(sizeof(Machine) - bytes, alignof(Machine));  // the rest is padding
}

TEST(MachineFields, EachSetsOnlyItsOwnNumber) {
  for (const MachineField& changed : machine_fields()) {
    Machine machine;
    const double value = value_of(machine, changed) == changed.max ? changed.min : changed.max;
    set_value(machine, changed, value);
    for (const MachineField& f : machine_fields())
      EXPECT_EQ(value_of(machine, f), f.key == changed.key ? value : value_of(Machine(), f))
          << "set " << changed.key << ", read " << f.key;
  }
}

TEST(MachineFields, HaveDistinctKeysMeaningsAndSources) {
  std::set<std::string_view> keys;
  for (const MachineField& f : machine_fields()) {
    EXPECT_TRUE(keys.insert(f.key).second) << f.key;
    EXPECT_FALSE(f.meaning.empty()) << f.key;
    EXPECT_NE(std::string("PTHA").find(static_cast<char>(f.origin)), std::string::npos) << f.key;
    const double value = value_of(Machine(), f);
    EXPECT_TRUE(f.min <= value && value <= f.max) << f.key << " : the default is out of range";
  }
}

TEST(MachineFields, AttributeOnlyPublishedNumbersToIbm) {
  for (const char* key :
       {"hop_latency_cycles", "inject_cycles", "receive_cycles", "fma_cycles", "transpose_cycles",
        "dynamic_vc_chunks", "bubble_vc_chunks", "bubble_reserve_chunks"})
    EXPECT_EQ(field(key).origin, Origin::assumed) << key;
  EXPECT_EQ(field("link_bits_per_cycle").origin, Origin::paper);
  EXPECT_EQ(field("injection_fifos").origin, Origin::ibm);
}

TEST(SetValue, RefusesValuesOutOfRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const MachineField& f : machine_fields()) {
    Machine machine;
    for (const double bad : {std::nextafter(f.min, -kInfinity), std::nextafter(f.max, kInfinity),
                             f.min - 1, f.max + 1, std::nan(""), kInfinity, -kInfinity})
      EXPECT_THROW(set_value(machine, f, bad), BadInput) << f.key << " = " << bad;
    EXPECT_EQ(value_of(machine, f), value_of(Machine(), f)) << "a refused value must not change it";
    for (const double good : {f.min, f.max}) {
      set_value(machine, f, good);
      EXPECT_EQ(value_of(machine, f), good) << f.key;
    }
  }
}

TEST(SetValue, RefusesFractionsForWholeNumbers) {
  Machine machine;
  EXPECT_THROW(set_value(machine, field("injection_fifos"), 2.5), BadInput);
  EXPECT_THROW(set_value(machine, field("hop_latency_cycles"), 69.0001), BadInput);
  set_value(machine, field("link_bits_per_cycle"), 2.5);
  EXPECT_EQ(machine.link_bits_per_cycle, 2.5);
  EXPECT_EQ(machine.injection_fifos, Machine().injection_fifos);
}

TEST(SetValue, NamesTheFieldInOneLine) {
  Machine machine;
  try {
    set_value(machine, field("reception_fifos"), 0);
    FAIL() << "0 was accepted";
  } catch (const BadInput& refusal) {
    const std::string what = refusal.what();
    EXPECT_NE(what.find("reception_fifos"), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

TEST(CheckConsistent, AcceptsTheBlueGeneAndTheSmallestBubble) {
  EXPECT_NO_THROW(check_consistent(Machine()));
  Machine smallest;
  smallest.bubble_vc_chunks = smallest.priority_vc_chunks = 8 + smallest.bubble_reserve_chunks;
  EXPECT_NO_THROW(check_consistent(smallest));
}

TEST(CheckConsistent, RefusesBuffersThatNothingCanEnter) {
  Machine bubble;
  bubble.bubble_vc_chunks = 8 + bubble.bubble_reserve_chunks - 1;
  EXPECT_THROW(check_consistent(bubble), BadInput);
  Machine priority;
  priority.priority_vc_chunks = 8 + priority.bubble_reserve_chunks - 1;
  EXPECT_THROW(check_consistent(priority), BadInput);
}

TEST(CheckConsistent, RefusesAnArbitrationLongerThanItsPeriod) {
  Machine machine;
  machine.arbitration_fullest = machine.arbitration_period;
  EXPECT_NO_THROW(check_consistent(machine));
  ++machine.arbitration_fullest;
  EXPECT_THROW(check_consistent(machine), BadInput);
}

TEST(Machine, ComputesCyclesRoundedUp) {
  const Machine bgl;
  for (std::uint64_t bytes = 0; bytes < 3000; ++bytes) EXPECT_EQ(bgl.wire_cycles(bytes), 4 * bytes);
  Machine fast;
  fast.link_bits_per_cycle = 16;
  for (std::uint64_t bytes = 0; bytes < 3000; ++bytes)
    EXPECT_EQ(fast.wire_cycles(bytes), (bytes + 1) / 2);
}

TEST(Machine, GivesEachChannelItsOwnRoom) {
  Machine machine;
  machine.dynamic_vc_chunks = 10;
  machine.bubble_vc_chunks = 20;
  machine.priority_vc_chunks = 30;
  EXPECT_EQ(machine.channel_chunks(VirtualChannel::dynamic0), 10u);
  EXPECT_EQ(machine.channel_chunks(VirtualChannel::dynamic1), 10u);
  EXPECT_EQ(machine.channel_chunks(VirtualChannel::bubble), 20u);
  EXPECT_EQ(machine.channel_chunks(VirtualChannel::priority), 30u);
}

}  // namespace
}  // namespace toroid
