// Machine files: every number in, every number out.
#include "tools/machine_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hal/check.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    parse_machine(text, "m.toml");
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
  return "accepted";
}

/// A value that is allowed and not the default.
double another_value(const MachineField& field) {
  const double value = value_of(Machine{}, field);
  if (field.key == "arbitration_fullest") return value - 1;
  return value + 1 <= field.max ? value + 1 : value - 1;
}

void expect_equal(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.name, b.name);
  for (const MachineField& field : machine_fields())
    EXPECT_EQ(value_of(a, field), value_of(b, field)) << field.key;
}

TEST(MachineFile, MayBeEmptyAndIsThenTheBlueGeneUnderAnotherName) {
  Machine expected;
  expected.name = "m.toml";
  expect_equal(parse_machine("", "m.toml"), expected);
}

TEST(MachineFile, ReadsBackWhatIsPrinted) {
  expect_equal(parse_machine(machine_text(Machine{}), "m.toml"), Machine{});
}

TEST(MachineFile, ReadsBackAnyValueThatIsPrinted) {
  Machine machine;
  machine.clock_hz = 1.0 / 3 * 1e9;
  machine.link_bits_per_cycle = 0.1 + 0.2;
  machine.fft_cycles_factor = 1e-300;
  expect_equal(parse_machine(machine_text(machine), "m.toml"), machine);
}

TEST(MachineFile, ReadsBackAnyName) {
  for (const std::string name : {"", "a \"b\" \\c\\", "line\nend\ttab\x7f", "Zürich"}) {
    Machine machine;
    machine.name = name;
    expect_equal(parse_machine(machine_text(machine), "m.toml"), machine);
  }
}

TEST(MachineFile, OverridesEachKeyAlone) {
  for (const MachineField& field : machine_fields()) {
    const std::string text = fmt::format("{} = {}\n", field.key, another_value(field));
    const Machine machine = parse_machine(text, "m.toml");
    for (const MachineField& other : machine_fields())
      EXPECT_EQ(value_of(machine, other),
                other.key == field.key ? another_value(field) : value_of(Machine{}, other))
          << text;
  }
}

TEST(MachineFile, AcceptsBothEndsOfEachRange) {
  for (const MachineField& field : machine_fields()) {
    for (const double value : {field.min, field.max}) {
      Machine machine;
      EXPECT_NO_THROW(set_value(machine, field, value)) << field.key;
      EXPECT_EQ(value_of(machine, field), value) << field.key;
    }
  }
}

TEST(MachineFile, RefusesAValueOutOfRangeWithFileAndLine) {
  for (const MachineField& field : machine_fields()) {
    for (const std::string& value :
         {fmt::format("{}", field.min - 1), fmt::format("{:.1f}", field.max * 2),
          std::string("nan"), std::string("inf"), std::string("-inf"),
          std::string("9223372036854775807")}) {
      const std::string refusal = refusal_of(fmt::format("\n\n{} = {}\n", field.key, value));
      EXPECT_THAT(refusal, HasSubstr(fmt::format("m.toml:3: {} = ", field.key))) << value;
      EXPECT_THAT(refusal, HasSubstr("out of range; expected")) << value;
    }
  }
}

TEST(MachineFile, RefusesAFractionWhereAWholeNumberBelongs) {
  EXPECT_EQ(refusal_of("injection_fifos = 1.5"),
            "m.toml:1: injection_fifos = 1.5 is not a whole number");
}

TEST(MachineFile, RefusesAnotherType) {
  for (const std::string value : {"\"700e6\"", "true", "[1]", "{a = 1}", "1979-05-27"})
    EXPECT_EQ(refusal_of("# a clock\nclock_hz = " + value), "m.toml:2: clock_hz must be a number");
  EXPECT_EQ(refusal_of("name = 7"), "m.toml:1: name must be a text");
}

TEST(MachineFile, RefusesAnUnknownKey) {
  EXPECT_THAT(refusal_of("clock_hz = 1e9\nclock = 1"), HasSubstr("m.toml:2: unknown key 'clock'"));
  EXPECT_THAT(refusal_of("[machine]\nclock_hz = 1e9"), HasSubstr("unknown key 'machine'"));
  EXPECT_THAT(refusal_of("Clock_hz = 1e9"), HasSubstr("unknown key 'Clock_hz'"));
}

TEST(MachineFile, RefusesWhatIsNotToml) {
  for (const std::string text : {"clock_hz", "clock_hz =", "= 3", "clock_hz = 1 2", "[", "\xff\xfe",
                                 "clock_hz = 1e9\rlink = 2", "clock_hz: 1e9"})
    EXPECT_THAT(refusal_of(text), HasSubstr("m.toml:1: ")) << text;
  EXPECT_THAT(refusal_of("clock_hz = 1e9\nclock_hz = 1e9"), HasSubstr("m.toml:2: "));
}

TEST(MachineFile, RefusesNumbersThatDoNotFitEachOther) {
  EXPECT_THAT(refusal_of("bubble_vc_chunks = 8"), HasSubstr("m.toml: "));
  EXPECT_THAT(refusal_of("bubble_reserve_chunks = 64"),
              HasSubstr("the 72 chunks that entering it needs"));
  EXPECT_THAT(refusal_of("arbitration_period = 100"), HasSubstr("arbitration_fullest"));
}

}  // namespace
}  // namespace toroid::testing
