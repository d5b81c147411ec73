// Contents of recordings and pages, and inputs that are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/direction.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "router/sim/probe.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/report/checked_json.hpp"
#include "tools/report/deflate_base64.hpp"
#include "tools/report/inputs.hpp"
#include "tools/report/page.hpp"
#include "tools/report/recorder.hpp"
#include "tools/report/recording.hpp"
#include "tools/text/json.hpp"

namespace toroid::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Octets = std::vector<std::uint8_t>;

Octets noise(std::size_t count) {
  Random random(count);
  Octets octets(count);
  for (std::uint8_t& octet : octets) octet = static_cast<std::uint8_t>(random.next() >> 56);
  return octets;
}

TEST(Blob, RoundTrips) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 1000u, 70001u})
    EXPECT_EQ(unpack_bytes(pack_bytes(noise(count)), count), noise(count));
  const std::vector<std::uint32_t> words = {0, 1, 0xffffffff, 0x01020304};
  EXPECT_EQ(unpack_words(pack_words(words), 4), words);
}

TEST(Blob, IsRefusedIfDamagedOrOfAnotherLength) {
  const std::string packed = pack_bytes(noise(100));
  for (const std::size_t count : {0u, 99u, 101u})
    EXPECT_EQ(unpack_bytes(packed, count), std::nullopt);
  for (const std::string& text : {std::string(), packed.substr(4), packed.substr(0, 40),
                                  std::string("AAAA"), "?" + packed.substr(1)})
    EXPECT_EQ(unpack_bytes(text, 100), std::nullopt) << text;
}

/// A recorded all-to-all and the fabric's counters.
struct Recorded {
  explicit Recorded(const char* torus, std::uint64_t bytes = 700)
      : shape(Shape::parse(torus)), recorder(shape, machine), sim(shape, {}, {.probe = &recorder}) {
    MachineExchange(sim, bytes).run();
    recording = recorder.finish(sim.counters());
  }

  const Machine machine;
  Shape shape;
  Recorder recorder;
  SimMachine sim;
  Recording recording;
};

TEST(Recording, KeepsTheCountersOfEveryLink) {
  for (const char* torus : {"5", "3x4m", "2x3x2", "1x4", "2x2x2x2x2x2"}) {
    const Recorded run(torus);
    ASSERT_EQ(run.recording.packets.size(), run.sim.counters().links.size());
    for (std::size_t l = 0; l < run.recording.packets.size(); ++l) {
      const LinkCounters& link = run.sim.counters().links[l];
      EXPECT_EQ(run.recording.packets[l], link.total_packets());
      EXPECT_EQ(run.recording.busy_cycles[l], run.machine.wire_cycles(link.wire_bytes));
    }
  }
}

TEST(Recording, SamplesAddUpToTheCounters) {
  const Recorded run("4x4", 2000);
  const Recording& r = run.recording;
  EXPECT_EQ(r.end, run.sim.counters().end);
  EXPECT_EQ(r.samples(), (r.end + r.interval - 1) / r.interval);
  for (std::size_t l = 0; l < r.links(); ++l) {
    double cycles = 0;
    for (std::size_t s = 0; s < r.samples(); ++s) {
      const Tick length = std::min((s + 1) * r.interval, r.end) - s * r.interval;
      cycles += r.link_busy[s * r.links() + l] / 255.0 * static_cast<double>(length);
    }
    const double rounding = static_cast<double>(r.end) / 255;
    EXPECT_NEAR(cycles, r.busy_cycles[l], rounding) << "link " << l;
  }
}

TEST(Recording, RoundTripsThroughJson) {
  const Recorded run("3x4m");
  const Json json = run.recording.to_json();
  const Recording back = Recording::from_json(JsonPlace(json, "r.json"), run.shape);
  EXPECT_EQ(back.to_json(), json);
  EXPECT_EQ(back.link_busy, run.recording.link_busy);
  EXPECT_EQ(back.busy_cycles, run.recording.busy_cycles);
}

TEST(Recording, HalvingAveragesPairsOfSamples) {
  Recording r;
  r.shape = Shape::parse("2");
  r.fifos = 1;
  r.end = 25;
  r.interval = 10;
  r.link_busy = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};
  r.fifo_fill = {1, 2, 3, 4, 5, 6};
  r.fifo_mean = r.fifo_most = {100, 200, 7};
  r.halve();
  EXPECT_EQ(r.interval, 20u);
  EXPECT_EQ(r.link_busy, (Octets{20, 30, 40, 50, 80, 90, 100, 110}));
  EXPECT_EQ(r.fifo_fill, (Octets{2, 3, 5, 6}));
  EXPECT_EQ(r.fifo_mean, (Octets{150, 7}));
}

/// A machine whose links are always busy and whose FIFOs are half full.
class BusyMachine final : public SimSnapshot {
 public:
  BusyMachine(const Shape& shape, const Machine& machine)
      : machine_(machine),
        links_(std::size_t{shape.size()} * shape.links()),
        fifos_(std::vector<InjectionFifo>(machine.injection_fifos,
                                          {.directions = {},
                                           .capacity = machine.injection_fifo_chunks,
                                           .used = machine.injection_fifo_chunks / 2})) {}

  void set_time(Tick now) {
    const double bytes = static_cast<double>(now) * machine_.link_bits_per_cycle / 8;
    for (LinkCounters& link : links_) link.wire_bytes = static_cast<std::uint64_t>(bytes);
  }
  std::span<const LinkCounters> links() const override { return links_; }
  const InjectionFifos& fifos(Rank) const override { return fifos_; }
  unsigned received(Rank node) const override { return node == 0 ? 40 : 0; }
  std::uint64_t queued(Rank node) const override { return node == 0 ? 9 : 3; }
  FifoCounters fifo_counters(Rank, unsigned) const override { return {}; }
  unsigned waiting(Rank, Direction, VirtualChannel) const override { return 0; }
  std::uint64_t packets_under_way() const override { return 0; }

 private:
  Machine machine_;
  std::vector<LinkCounters> links_;
  InjectionFifos fifos_;
};

TEST(Recorder, SamplesLessOftenInLongerRuns) {
  const Machine machine;
  const Shape shape = Shape::parse("3x2");
  Recorder recorder(shape, machine);
  BusyMachine busy(shape, machine);
  constexpr Tick kEnd = 100'000 * Recorder::kShortest;
  for (Tick now = 0; now <= kEnd; now += recorder.sample_every()) {
    busy.set_time(now);
    recorder.on_sample(now, busy);
  }
  FabricCounters counters;
  counters.end = kEnd;
  counters.links.assign(busy.links().begin(), busy.links().end());
  const Recording recording = recorder.finish(counters);
  const std::size_t most = most_samples(shape, machine.injection_fifos);
  EXPECT_LE(recording.samples(), most);
  EXPECT_GE(2 * recording.samples(), most);
  for (const std::uint8_t share : recording.link_busy) EXPECT_GE(share, 254);
  // The last sample is taken at the end, when all FIFOs are empty.
  for (std::size_t i = 0; i + shape.size() < recording.fifo_fill.size(); ++i)
    EXPECT_EQ(recording.fifo_fill[i], 128);
}

/// Node 0 of six holds 40 chunks in reception FIFOs and 9 packets in output queues, each other node
/// 3 packets: 255 stands for `full`.
TEST(Recorder, SamplesReceptionFifosAndOutputQueues) {
  const Machine machine;
  const Shape shape = Shape::parse("3x2");
  Recorder recorder(shape, machine);
  BusyMachine busy(shape, machine);
  for (const Tick now : {1u, 2u}) {
    busy.set_time(now * Recorder::kShortest);
    recorder.on_sample(now * Recorder::kShortest, busy);
  }
  FabricCounters counters;
  counters.end = 2 * Recorder::kShortest;
  counters.links.assign(busy.links().begin(), busy.links().end());
  const Recording recording = recorder.finish(counters);
  EXPECT_EQ(recording.reception.full, 14u * 32);
  EXPECT_EQ(recording.reception.mean, Octets(2, 4));
  EXPECT_EQ(recording.reception.most, Octets(2, 23));
  EXPECT_EQ(recording.queues.full, 9u);
  EXPECT_EQ(recording.queues.mean, Octets(2, 113));
  EXPECT_EQ(recording.queues.most, Octets(2, 255));
  const Json json = recording.to_json();
  const Recording read = Recording::from_json(JsonPlace(json, "r.json"), shape);
  EXPECT_EQ(read.reception.mean, recording.reception.mean);
  EXPECT_EQ(read.queues.full, 9u);
  EXPECT_EQ(read.queues.most, recording.queues.most);
}

TEST(Recorder, RefusesAMachineTooLargeForAPage) {
  EXPECT_GE(most_samples(Shape::parse("16x16x16"), 6), 64u);
  EXPECT_GE(most_samples(Shape::parse("32x32x32"), 6), 8u);
  EXPECT_THROW(Recorder(Shape::parse("64x64x64"), Machine()), BadInput);
}

Recording noisy_recording(const Shape& shape) {
  Recording r;
  r.shape = shape;
  r.interval = 1000;
  r.fifos = 6;
  r.fifo_chunks = 32;
  const std::size_t samples = most_samples(shape, r.fifos);
  r.end = samples * r.interval;
  r.packets.resize(r.links(), 1);
  r.busy_cycles.resize(r.links(), 1000);
  r.link_busy = noise(samples * r.links());
  r.fifo_fill = noise(samples * shape.size());
  r.fifo_mean = r.fifo_most = noise(samples * r.fifos);
  return r;
}

TEST(Page, IsNeverTooLarge) {
  const Shape shape = Shape::parse("16x16x16");
  ReportInputs inputs;
  for (int i = 0; i < 2; ++i) inputs.runs.push_back({{{"name", "worst"}}, noisy_recording(shape)});
  EXPECT_LE(report_page(std::move(inputs)).size(), kMostPageBytes);
}

class Report : public ::testing::Test {
 protected:
  std::string page_of(const Arguments& files) {
    const Ended ended =
        run_command(Arguments{"report", "-o", "r.html"} + files, {.directory = directory_.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return directory_.content_of("r.html");
  }
  void run(const Arguments& arguments) {
    const Ended ended =
        run_command(arguments + Arguments{"--quiet"}, {.directory = directory_.path()});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }
  void expect_refused(const std::string& content, const std::vector<std::string>& words) {
    directory_.save("in.json", content);
    expect_refusal(directory_, {"report", "in.json", "-o", "r.html"}, words);
  }

  const TemporaryDirectory directory_;
};

TEST_F(Report, NeedsNothingFromTheNetwork) {
  run({"alltoall", "--torus", "3x4", "--record", "a.json"});
  run({"fft", "--torus", "2x2", "--size", "8", "--record", "f.json", "--json", "g.json"});
  const std::string page = page_of({"a.json", "f.json", "g.json"});
  for (const char* foreign : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("alltoall random 3x4 adaptive 240 B"));
}

TEST_F(Report, EscapesTextsOfItsInputs) {
  directory_.save("b.toml", "name = \"</script><script>fail()</script>\"\n");
  run({"alltoall", "--torus", "2", "--machine", "b.toml", "--json", "a.json"});
  const std::string page = page_of({"a.json"});
  EXPECT_THAT(page, Not(HasSubstr("<script>fail")));
  EXPECT_THAT(page, HasSubstr("\\u003cscript>fail"));
}

TEST_F(Report, RecordingChangesNothingElseInTheResult) {
  run({"alltoall", "--torus", "3x3", "--record", "recorded.json", "--json", "plain.json"});
  Json recorded = Json::parse(directory_.content_of("recorded.json"));
  recorded.erase("recording");
  EXPECT_EQ(recorded, Json::parse(directory_.content_of("plain.json")));
  EXPECT_EQ(recorded["result_hash"], json_of({"alltoall", "--torus", "3x3"})["result_hash"]);
}

TEST_F(Report, NamesFailedRuns) {
  directory_.save("rows.json", R"({"verb":"compare","rows":[
      {"policy":"xor","traffic":"all-to-all","torus":"3x3","bytes":9,"error":"no way"}]})");
  directory_.save("points.json", R"({"verb":"sweep","axis":"load","rows":[
      {"policy":"rank","torus":"4","offered":0.5,"error":"not enough memory"}]})");
  directory_.save("validated.json", R"({"verb":"compare","rows":[],"failed_there":[
      {"policy":"shift","traffic":"all-to-all","torus":"5","bytes":7,"error":"it stands still"}]})");
  const std::string page = page_of({"rows.json", "points.json", "validated.json"});
  EXPECT_THAT(page, HasSubstr(R"({"name":"xor all-to-all 3x3 9 B","error":"no way"})"));
  EXPECT_THAT(page, HasSubstr(R"({"name":"shift all-to-all 5 7 B on shm --route torus",)"
                              R"("error":"it stands still"})"));
  EXPECT_THAT(page, HasSubstr(R"({"name":"rank 4","error":"not enough memory"})"));
}

TEST_F(Report, RefusesFilesThatAreNotResults) {
  expect_refused("", {"in.json:1: expected JSON"});
  expect_refused("{\n\"verb\":\n}", {"in.json:3: expected JSON"});
  expect_refused("[]", {"in.json: expected the file to be an object, not array"});
  expect_refused("{}", {"in.json: expected verb to be a text, not missing"});
  expect_refused(R"({"verb":"info"})", {"in.json: a result of info has nothing to show"});
  expect_refused(R"({"verb":"fft","torus":"2","fabric":"sim"})",
                 {"in.json: expected cycles to be a number, not missing"});
  expect_refused(R"({"verb":"compare"})", {"expected rows to be an array, not missing"});
  expect_refused(R"({"verb":"compare","rows":[{"torus":7}]})",
                 {"expected rows[0].torus to be a text, not number"});
  expect_refused(R"({"verb":"sweep","axis":"time","rows":[]})", {"expected axis to be load"});
  expect_refused(R"({"verb":"sweep","axis":"load","rows":[{"offered":"x"}]})",
                 {"expected rows[0].offered to be a number, not string"});
  expect_refused(R"({"verb":"sweep","axis":"load","rows":[{"offered":-1}]})",
                 {"rows[0].offered to be a finite number of at least 0"});
}

TEST_F(Report, ShowsAndValidatesTheFlowchartProfile) {
  run({"alltoall", "--torus", "3x4", "--queues", "2", "--json", "a.json"});
  Json result = Json::parse(directory_.content_of("a.json"));
  EXPECT_THAT(page_of({"a.json"}), HasSubstr(R"("stuck_on":{"X+":)"));
  result["profile"]["drain"]["stuck_on"]["X+"] = "many";
  expect_refused(result.dump(), {"expected profile.drain.stuck_on.X+ to be a number, not string"});
  result["profile"]["drain"].erase("turns");
  expect_refused(result.dump(), {"expected profile.drain.turns to be a number, not missing"});
}

TEST_F(Report, RefusesARecordingThatDoesNotFitItsTorus) {
  run({"alltoall", "--torus", "3x3", "--record", "a.json"});
  const Json good = Json::parse(directory_.content_of("a.json"));
  const auto expect_refused_with = [&](const char* key, const Json& value, const char* words) {
    Json bad = good;
    (bad["recording"].contains(key) ? bad["recording"][key] : bad[key]) = value;
    expect_refused(bad.dump(), {"in.json: expected ", words});
  };
  expect_refused_with("torus", "3x4", "recording.packets to be 48 packed values");
  expect_refused_with("torus", "3y4", "torus to be a torus such as 8x8x8");
  expect_refused_with("torus", "256x256x256", "of a machine that fits a page");
  expect_refused_with("samples", 1'000'000, "recording.samples to be a whole number from 1 to");
  expect_refused_with("link_busy", "AAAA", "recording.link_busy to be");
  expect_refused_with("interval_cycles", 0, "recording.interval_cycles");
  expect_refused_with("fifos", -1, "recording.fifos");
}

TEST_F(Report, RefusesMissingAndUnwritableFiles) {
  expect_refusal(directory_, {"report", "none.json"},
                 {"none.json: cannot be read: No such file or directory"});
  expect_refusal(directory_, {"report", "."}, {".: cannot be read: Is a directory"});
  expect_refusal(directory_, {"report"}, {"report needs FILES..."});
  run({"alltoall", "--torus", "2", "--json", "a.json"});
  expect_refusal(directory_, {"report", "a.json", "-o", "a.json"},
                 {"a.json: the report would overwrite this input file"});
  expect_refusal(directory_, {"report", "a.json", "-o", "no/r.html"}, {"cannot write no/r.html"});
}

TEST_F(Report, RecordAndTraceNeedTheModel) {
  for (const Arguments& watched : {Arguments{"--record", "r.json"}, Arguments{"--trace", "t.json"}})
    expect_refusal(directory_, Arguments{"alltoall", "--torus", "2", "--fabric", "shm"} + watched,
                   {watched.front() + " has no effect on alltoall with --fabric shm"});
  expect_refusal(directory_, {"alltoall", "--torus", "2", "--record", "x.json", "--json", "x.json"},
                 {"are the same file"});
}

}  // namespace
}  // namespace toroid::testing
