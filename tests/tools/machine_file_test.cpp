// Reads and writes machine files.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/tick.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/files/quantity.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;

std::string machine_refusal(const std::string& text) {
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
  if (field.key == "tie_choice") return value - 2;  // value - 1 is allowed only with both_hints = 1
  if (field.max <= 1) return field.max;
  return value + 1 <= field.max ? value + 1 : value - 1;
}

void expect_equal(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.name, b.name);
  for (const MachineField& field : machine_fields())
    EXPECT_EQ(value_of(a, field), value_of(b, field)) << field.key;
}

TEST(MachineFile, EmptyFileGivesTheDefaultMachine) {
  Machine expected;
  expected.name = "m.toml";
  expect_equal(parse_machine("", "m.toml"), expected);
}

/// toml++ alone overflows the stack.
TEST(MachineFile, RefusesKeysOfManyParts) {
  std::string parts = "a";
  for (unsigned part = 1; part < 100'000; ++part) parts += ".a";
  const std::string_view why = "m.toml:2: expected a key of at most 16 parts, as in a.b.c";
  EXPECT_EQ(machine_refusal("\n[" + parts + "]\n"), why);
  EXPECT_EQ(machine_refusal("\n" + parts + " = 1\n"), why);
  EXPECT_EQ(machine_refusal("\nx = {" + parts + " = 1}\n"), why);
  EXPECT_EQ(machine_refusal("x = '#'\ny = {" + parts + " = 1}\n"), why);
  EXPECT_EQ(machine_refusal("\nx = {a = \"\"\"b\"\"\"\", " + parts + " = 1}\n"), why);
  const std::string dots(100, '.');
  for (const std::string& text : {"# " + dots, "name = \"" + dots + "\"", "name = '" + dots + "'",
                                  "name = '''\n" + dots + "'''", "name = \"\\\"" + dots + "\""})
    EXPECT_EQ(machine_refusal(text + "\n").find("parts"), std::string::npos) << text;
}

TEST(MachineFile, RoundTripsTheDefaultMachine) {
  expect_equal(parse_machine(machine_text(Machine{}), "m.toml"), Machine{});
}

TEST(MachineFile, RoundTripsAnyValue) {
  Machine machine;
  machine.clock_hz = 1.0 / 3 * 1e9;
  machine.link_bits_per_cycle = 0.1 + 0.2;
  machine.fft_cycles_factor = 1e-300;
  expect_equal(parse_machine(machine_text(machine), "m.toml"), machine);
}

TEST(MachineFile, RoundTripsAnyName) {
  for (const std::string name : {"", "a \"b\" \\c\\", "Zürich"}) {
    Machine machine;
    machine.name = name;
    expect_equal(parse_machine(machine_text(machine), "m.toml"), machine);
  }
}

/// The key that all other keys of the DMA engine require.
constexpr std::string_view kEngine = "dma_inject_cycles";

TEST(MachineFile, OverridesEachKeyAlone) {
  for (const MachineField& field : machine_fields()) {
    const bool is_engines = field.key.starts_with("dma_");
    std::string text = fmt::format("{} = {}\n", field.key, another_value(field));
    if (is_engines && field.key != kEngine) text += fmt::format("{} = 1\n", kEngine);
    const Machine machine = parse_machine(text, "m.toml");
    for (const MachineField& other : machine_fields()) {
      const bool is_set = other.key == field.key || (is_engines && other.key == kEngine);
      EXPECT_EQ(value_of(machine, other),
                is_set ? another_value(other) : value_of(Machine{}, other))
          << text;
    }
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
      const std::string refusal = machine_refusal(fmt::format("\n\n{} = {}\n", field.key, value));
      EXPECT_THAT(refusal, HasSubstr(fmt::format("m.toml:3: {} = ", field.key))) << value;
      EXPECT_THAT(refusal, HasSubstr("out of range; expected")) << value;
    }
  }
}

TEST(MachineFile, RefusesFractionsForWholeNumbers) {
  EXPECT_EQ(machine_refusal("injection_fifos = 1.5"),
            "m.toml:1: injection_fifos = 1.5 is not a whole number");
}

TEST(MachineFile, RefusesWrongTypes) {
  for (const std::string value : {"\"700e6\"", "true", "[1]", "{a = 1}", "1979-05-27"})
    EXPECT_EQ(machine_refusal("# a clock\nclock_hz = " + value),
              "m.toml:2: clock_hz must be a number");
  EXPECT_EQ(machine_refusal("name = 7"), "m.toml:1: name must be a text");
}

TEST(MachineFile, RefusesControlCharactersInTexts) {
  for (const std::string character : {"\\u001b", "\\n", "\\t", "\\u007f", "\\u009b"}) {
    EXPECT_EQ(machine_refusal("name = \"a" + character + "b\""),
              "m.toml:1: name must be a text without control characters");
    EXPECT_EQ(machine_refusal("[sources]\nclock_hz = \"a" + character + "b\""),
              "m.toml:2: clock_hz must be a text without control characters");
  }
}

std::string load_refusal(const std::string& name) {
  try {
    load_machine(name);
  } catch (const BadInput& refusal) {
    return refusal.what();
  }
  return "accepted";
}

TEST(MachineFile, RefusesControlCharactersInPathOrOverrides) {
  const TemporaryDirectory directory;
  for (const std::string name : {"a\x1b[2J.toml", "a\xc2\x9b.toml", "a\n.toml"}) {
    directory.save(name, "");
    for (const std::string& text : {directory / name, directory / name + ":injection_fifos=4"})
      EXPECT_THAT(load_refusal(text),
                  HasSubstr("expected a name or path without control characters"));
  }
  EXPECT_EQ(load_refusal("bgl:injection_fifos=4\x1b"),
            "machine 'bgl:injection_fifos=4?': expected a name or path without control "
            "characters");
}

TEST(MachineFile, IsNamedByItsPathIfItHasNoName) {
  const TemporaryDirectory directory;
  directory.save("a\"b.toml", "");
  const Machine machine = load_machine(directory / "a\"b.toml");
  EXPECT_EQ(machine.name, directory / "a\"b.toml");
  expect_equal(parse_machine(machine_text(machine), "m.toml"), machine);
}

TEST(MachineFile, AcceptsOverridesAfterItsName) {
  const Machine machine = load_machine("bgl:injection_fifos=4:hop_latency=100 ns");
  EXPECT_EQ(machine.name, "bgl:injection_fifos=4:hop_latency=100 ns");
  EXPECT_EQ(machine.injection_fifos, 4u);
  EXPECT_EQ(machine.hop_latency_cycles, 70u);
  EXPECT_EQ(machine.injection_fifo_chunks, Machine().injection_fifo_chunks);
  EXPECT_THAT(load_refusal("bgl:fifos=4"), HasSubstr("machine 'bgl:fifos=4': unknown key 'fifos'"));
  EXPECT_THAT(load_refusal("bgl:injection_fifos=four"), HasSubstr("must be a number, not 'four'"));
  EXPECT_THAT(load_refusal("bgl:injection_fifos=15"), HasSubstr("out of range; expected"));
  EXPECT_THAT(load_refusal("bgl:injection_fifos=4:"), HasSubstr("unknown key ''"));
  EXPECT_THAT(load_refusal("bgm:injection_fifos=4"), HasSubstr("machine 'bgm' is neither"));
  EXPECT_THAT(load_refusal("no:such/file.toml"), HasSubstr("'no:such/file.toml' is neither"));
}

TEST(MachineFile, OverridesDoNotDependOnTheClocksPosition) {
  for (const std::string changes : {"link=350 MB/s:hop_latency=100 ns:clock_hz=1400000000",
                                    "link=350 MB/s:clock=1.4 GHz:hop_latency=100 ns",
                                    "clock_hz=1400000000:link=350 MB/s:hop_latency=100 ns"}) {
    const Machine machine = load_machine("bgl:" + changes);
    EXPECT_DOUBLE_EQ(machine.clock_hz, 1.4e9) << changes;
    EXPECT_DOUBLE_EQ(machine.link_bits_per_cycle, 2) << changes;
    EXPECT_EQ(machine.hop_latency_cycles, 140u) << changes;
  }
}

TEST(MachineFile, RefusesTwoOverridesOfOneParameter) {
  EXPECT_EQ(load_refusal("bgl:link=350 MB/s:link_bits_per_cycle=4"),
            "machine 'bgl:link=350 MB/s:link_bits_per_cycle=4': link_bits_per_cycle sets the same "
            "parameter as link");
  EXPECT_THAT(load_refusal("bgl:link_bits_per_cycle=4:inject_cycles=1:link=350 MB/s"),
              HasSubstr("': link sets the same parameter as link_bits_per_cycle"));
  EXPECT_THAT(load_refusal("bgl:injection_fifos=4:injection_fifos=4"),
              HasSubstr("': injection_fifos is given twice"));
  EXPECT_THAT(load_refusal("bgl:clock=1 GHz:link=350 MB/s:clock_hz=1e9"),
              HasSubstr("': clock_hz sets the same parameter as clock"));
}

TEST(MachineFile, RefusesAnUnknownKey) {
  EXPECT_THAT(machine_refusal("clock_hz = 1e9\nclok = 1"),
              HasSubstr("m.toml:2: unknown key 'clok'"));
  EXPECT_THAT(machine_refusal("[machine]\nclock_hz = 1e9"), HasSubstr("unknown key 'machine'"));
  EXPECT_THAT(machine_refusal("Clock_hz = 1e9"), HasSubstr("unknown key 'Clock_hz'"));
  EXPECT_THAT(machine_refusal("\"\" = \"100 ns\""), HasSubstr("unknown key ''"));
}

TEST(MachineFile, RefusesInvalidToml) {
  for (const std::string text : {"clock_hz", "clock_hz =", "= 3", "clock_hz = 1 2", "[", "\xff\xfe",
                                 "clock_hz = 1e9\rlink = 2", "clock_hz: 1e9"})
    EXPECT_THAT(machine_refusal(text), HasSubstr("m.toml:1: ")) << text;
  EXPECT_THAT(machine_refusal("clock_hz = 1e9\nclock_hz = 1e9"), HasSubstr("m.toml:2: "));
  EXPECT_THAT(machine_refusal("clock_hz = 1e9\n[)sources]"), HasSubstr("m.toml:2: "));
  EXPECT_THAT(machine_refusal("clock_hz = 1e9\ncl\u00e4ock"), HasSubstr("m.toml:2: "));
  EXPECT_EQ(machine_refusal("\"a\\nb\" = 1").find('\n'), std::string::npos);
}

TEST(MachineFile, RefusesInconsistentNumbers) {
  EXPECT_THAT(machine_refusal("bubble_vc_chunks = 8"), HasSubstr("m.toml: "));
  EXPECT_THAT(machine_refusal("bubble_reserve_chunks = 64"),
              HasSubstr("the 72 chunks needed to enter it"));
  EXPECT_THAT(machine_refusal("arbitration_period = 100"), HasSubstr("arbitration_fullest"));
  EXPECT_THAT(machine_refusal("tie_choice = 5"), HasSubstr("set both_hints = 1"));
  EXPECT_EQ(machine_refusal("tie_choice = 5\nboth_hints = 1"), "accepted");
  for (const char* key : {"dma_descriptor_cycles", "dma_receive_cycles"})
    EXPECT_THAT(machine_refusal(fmt::format("{} = 100", key)),
                HasSubstr("set dma_inject_cycles to at least 1"));
}

TEST(MachineFile, AcceptsQuantitiesWithUnits) {
  const Machine machine = parse_machine(
      "hop_latency = \"40 ns\"\nlink = \"2 GB/s\"\nclock = \"1.6GHz\"\nwire_overhead = \"3 B\"\n"
      "injection_fifo = \"4 KiB\"\ninject = \"0.1 us\"\nfma = \"0.25 ns\"",
      "m.toml");
  Machine expected;
  expected.name = "m.toml";
  expected.clock_hz = 1.6e9;
  expected.link_bits_per_cycle = 10;
  expected.hop_latency_cycles = 64;
  expected.wire_overhead_bytes = 3;
  expected.injection_fifo_chunks = 128;
  expected.inject_cycles = 160;
  expected.fma_cycles = 0.4;
  for (const MachineField& field : machine_fields())
    EXPECT_DOUBLE_EQ(value_of(machine, field), value_of(expected, field)) << field.key;
}

TEST(MachineFile, ConvertsTimesByTheClockWhereverItIsSet) {
  EXPECT_EQ(parse_machine("hop_latency = \"100 ns\"", "m").hop_latency_cycles, 70u);
  EXPECT_EQ(parse_machine("hop_latency = \"100 ns\"\nclock_hz = 1e9", "m").hop_latency_cycles,
            100u);
  EXPECT_EQ(parse_machine("clock = \"850 MHz\"\nlink = \"3.4 Gbit/s\"", "m").link_bits_per_cycle,
            4);
}

/// The cycles of a link, rounded up, in whole numbers: `bytes` at `megabytes` per second.
Tick exact_cycles(Tick bytes, Tick megahertz, Tick megabytes) {
  return (bytes * megahertz + megabytes - 1) / megabytes;
}

TEST(MachineFile, PacketsTakeExactlyTheCyclesOfClockAndLink) {
  for (const Tick clock : {500u, 600u, 700u, 800u, 850u, 900u, 933u, 1000u, 1050u, 1200u, 1400u,
                           1500u, 1600u, 2000u, 2400u, 3000u})
    for (const Tick link : {150u, 175u, 350u, 425u, 500u, 850u, 1000u, 1250u, 1700u, 2000u, 2500u,
                            5000u, 6250u, 12500u, 25000u, 50000u}) {
      const Machine machine =
          parse_machine(fmt::format("clock = \"{} MHz\"\nlink = \"{} MB/s\"", clock, link), "m");
      EXPECT_EQ(machine.link_bits_per_cycle,
                8 * static_cast<double>(link) / static_cast<double>(clock));
      for (unsigned chunks = 1; chunks <= kMaxChunks; ++chunks)
        EXPECT_EQ(machine.wire_cycles(machine.wire_bytes(chunks)),
                  exact_cycles(machine.wire_bytes(chunks), clock, link))
            << clock << " MHz, " << link << " MB/s, " << chunks << " chunks";
    }
}

TEST(MachineFile, RoundTripsQuantitiesToThreeDigits) {
  for (const MachineField& field : machine_fields()) {
    const Machine bgl;
    const std::string text = quantity_text(bgl, field);
    if (text.empty()) continue;
    const std::string file = fmt::format("{} = \"{}\"", key_with_unit(field), text);
    EXPECT_NEAR(value_of(parse_machine(file, "m"), field), value_of(bgl, field),
                1e-3 * value_of(bgl, field))
        << file;
  }
}

TEST(MachineFile, RefusesUnknownUnits) {
  for (const std::string text : {"100", "ns", "100 hours", "100 ns ns", "1e3e3 ns", "", "100 NS"})
    EXPECT_EQ(
        machine_refusal(fmt::format("\nhop_latency = \"{}\"", text)),
        fmt::format("m.toml:2: hop_latency = \"{}\": expected a number and a unit (ns us ms s), "
                    "e.g. \"100 ns\"",
                    text));
  EXPECT_THAT(machine_refusal("link = \"2 GBs\""), HasSubstr("e.g. \"2 GB/s\""));
}

TEST(MachineFile, RefusesQuantitiesWithoutUnitOrOutOfRange) {
  EXPECT_EQ(machine_refusal("hop_latency = 69"),
            "m.toml:1: hop_latency must be a text with a unit; for a number of cycles use "
            "hop_latency_cycles");
  EXPECT_THAT(machine_refusal("injection_fifo = \"1000 B\""),
              HasSubstr("is 31.25 chunks; expected a whole number"));
  EXPECT_THAT(machine_refusal("hop_latency = \"-5 ns\""), HasSubstr("out of range"));
  EXPECT_THAT(machine_refusal("hop_latency = \"nan ns\""), HasSubstr("out of range"));
}

TEST(MachineFile, RefusesAParameterGivenTwice) {
  EXPECT_THAT(machine_refusal("clock_hz = 1e9\nclock = \"1 GHz\""),
              HasSubstr("m.toml:2: clock sets the same parameter as clock_hz"));
}

TEST(MachineFile, GivesTheSourceOfEachNumber) {
  const Machine machine = parse_machine(
      "clock = \"1 GHz\"\nhop_latency_cycles = 70\n[sources]\nclock = \"measured\"\n"
      "fma_cycles = \"guessed\"",
      "m");
  const auto source = [&](std::string_view key) {
    for (const MachineField& field : machine_fields())
      if (field.key == key) return source_of(machine, field);
    return std::string("no such field");
  };
  EXPECT_EQ(source("clock_hz"), "measured");
  EXPECT_EQ(source("fma_cycles"), "guessed");
  EXPECT_EQ(source("hop_latency_cycles"), "machine file");
  EXPECT_EQ(source("wire_overhead_bytes"), "IBM, published");
  EXPECT_EQ(parse_machine(machine_text(machine), "m").sources, machine.sources);
  EXPECT_THAT(machine_refusal("[sources]\n\nclok = \"x\""),
              HasSubstr("m.toml:3: unknown key 'clok'"));
  EXPECT_EQ(machine_refusal("\nsources = 5"), "m.toml:2: sources must be a table");
  EXPECT_THAT(machine_refusal("[sources]\n\nclock = 1"),
              HasSubstr("m.toml:3: clock must be a text"));
}

TEST(MachinePreset, LoadsByItsName) {
  for (const MachinePreset& preset : machine_presets()) {
    const Machine machine = load_machine(std::string(preset.name));
    EXPECT_EQ(machine.name, preset.name);
    expect_equal(parse_machine(machine_text(machine), "m"), machine);
  }
}

TEST(MachinePreset, DmaEnginesKeepAllLinksBusyBothWays) {
  for (const MachinePreset& preset : machine_presets()) {
    const Machine machine = load_machine(std::string(preset.name));
    const bool has_one =
        preset.name == "bgp" || preset.name == "bgq" || preset.name == "tpu-v4-like";
    EXPECT_EQ(machine.has_dma_engine(), has_one) << preset.name;
    if (!has_one) continue;
    const unsigned links = machine.name == "bgq" ? 10 : 6;
    const Tick full_packet = machine.wire_cycles(machine.wire_bytes(kMaxChunks));
    EXPECT_LE(links * (machine.dma_inject_cycles + machine.dma_receive_cycles), full_packet + 1)
        << preset.name;
  }
}

TEST(MachinePreset, BlueGeneQHasItsRatesAndPacketEfficiency) {
  const Machine bgq = load_machine("bgq");
  EXPECT_EQ(bgq.link_bits_per_cycle / 8 * bgq.clock_hz, 2e9);
  EXPECT_EQ(bgq.hop_latency_cycles, 64u);
  EXPECT_NEAR(240.0 / bgq.wire_bytes(kMaxChunks), 512.0 / (32 + 512 + 8), 1e-3);
}

TEST(MachinePreset, BlueGenePSendsAFullPacketIn540Cycles) {
  const Machine bgp = load_machine("bgp");
  EXPECT_EQ(bgp.link_bits_per_cycle, 4);
  EXPECT_EQ(bgp.wire_cycles(bgp.wire_bytes(kMaxChunks)), 540u);
}

}  // namespace
}  // namespace toroid::testing
