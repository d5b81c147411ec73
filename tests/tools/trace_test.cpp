// The contents of a trace file, and how its size is kept within the limit.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "hal/tick.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/sim/sim_machine.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/report/tracer.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;

struct Traced {
  explicit Traced(const char* torus, std::size_t most_slices = 1'000'000)
      : shape(Shape::parse(torus)),
        tracer(shape, machine, most_slices),
        sim(shape, {}, {.probe = &tracer}) {
    MachineExchange(sim, 500).run();
  }

  const Machine machine;
  Shape shape;
  Tracer tracer;
  SimMachine sim;
};

/// Expects each packet's whole path in the trace: its FIFO, all its links and its delivery.
void expect_whole_ways(const Traced& run) {
  std::map<std::uint64_t, std::vector<TraceSlice>> ways;
  for (const TraceSlice& slice : run.tracer.slices()) ways[slice.serial].push_back(slice);
  for (const auto& [serial, way] : ways) {
    const unsigned hops = minimal_hops(run.shape, run.shape.coord(way.front().source),
                                       run.shape.coord(way.front().destination));
    ASSERT_EQ(way.size(), hops + 2) << "packet " << serial;
    EXPECT_GE(way.front().track, TraceSlice::kFifo);
    EXPECT_EQ(way.front().node, way.front().source);
    EXPECT_EQ(way.back().track, TraceSlice::kDelivered);
    EXPECT_EQ(way.back().node, way.back().destination);
  }
}

TEST(Trace, ShowsTheWholePathOfEveryPacket) {
  for (const char* torus : {"5", "3x4m", "2x3x2"}) {
    const Traced run(torus);
    expect_whole_ways(run);
    EXPECT_EQ(run.tracer.one_in(), 1u);
    EXPECT_EQ(run.tracer.slices().size(),
              2 * run.sim.counters().packets + run.sim.counters().packet_hops);
  }
}

TEST(Trace, SlicesOfATrackDoNotOverlap) {
  const Traced run("4x4");
  std::map<std::pair<Rank, unsigned>, std::map<Tick, std::uint32_t>> tracks;
  for (const TraceSlice& slice : run.tracer.slices()) {
    if (slice.cycles == 0) continue;
    auto& slices = tracks[{slice.node, slice.track}];
    EXPECT_TRUE(slices.emplace(slice.begin, slice.cycles).second);
  }
  for (const auto& [track, slices] : tracks) {
    Tick free = 0;
    for (const auto& [begin, cycles] : slices) {
      EXPECT_GE(begin, free);
      free = begin + cycles;
    }
  }
}

TEST(Trace, LeavesOutWholePacketsAboveItsLimit) {
  const Traced all("4x4");
  for (const std::size_t most : {1000u, 300u, 20u}) {
    const Traced some("4x4", most);
    EXPECT_LE(some.tracer.slices().size(), most);
    EXPECT_GT(some.tracer.one_in(), 1u);
    expect_whole_ways(some);
    EXPECT_EQ(some.sim.counters().end, all.sim.counters().end);
  }
}

/// Returns the trace of a run that must end with `exit_code`.
json trace_of(const Arguments& arguments, const TemporaryDirectory& directory, int exit_code = 0) {
  const Ended ended = run_command(arguments + Arguments{"--quiet", "--trace", "t.json"},
                                  {.directory = directory.path()});
  EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
  return json::parse(directory.content_of("t.json"));
}

TEST(TraceFile, NamesEveryTrackOnce) {
  const TemporaryDirectory directory;
  for (const Arguments& run : {Arguments{"alltoall", "--torus", "3x2"},
                               Arguments{"fft", "--torus", "2x2", "--size", "8"}}) {
    const json trace = trace_of(run, directory);
    EXPECT_EQ(trace["otherData"]["complete"], true);
    std::set<std::pair<int, int>> named;
    std::set<int> threads;
    for (const json& event : trace["traceEvents"])
      if (event["name"] == "thread_name") {
        EXPECT_TRUE(threads.insert(event["tid"].get<int>()).second);
        named.insert({event["pid"].get<int>(), event["tid"].get<int>()});
      }
    for (const json& event : trace["traceEvents"]) {
      if (event["ph"] != "X") continue;
      const std::pair track(event["pid"].get<int>(), event["tid"].get<int>());
      EXPECT_TRUE(named.contains(track));
    }
  }
}

TEST(TraceFile, ConnectsTheSlicesOfEachPacket) {
  const TemporaryDirectory directory;
  const json trace = trace_of({"alltoall", "--torus", "3x2"}, directory);
  std::map<std::string, int> ends;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X")
      ends[event["bind_id"]] += int{event.contains("flow_out")} - int{event.contains("flow_in")};
  EXPECT_EQ(ends.size(), 6U * 5U);
  for (const auto& [packet, open] : ends) EXPECT_EQ(open, 0) << packet;
}

TEST(TraceFile, IsNoLargerThanItsLimit) {
  const TemporaryDirectory directory;
  const Arguments run = {"alltoall", "--torus", "6x6x6", "--trace-limit", "1"};
  const json trace = trace_of(run, directory);
  const std::string text = directory.content_of("t.json");
  EXPECT_LE(text.size(), 1'000'000U);
  EXPECT_GE(text.size(), 500'000U);
  EXPECT_GT(trace["otherData"]["one_packet_in"].get<int>(), 1);
  trace_of(run, directory);
  EXPECT_EQ(directory.content_of("t.json"), text);
}

TEST(TraceFile, IsWrittenByAFailedRun) {
  const TemporaryDirectory directory;
  const json trace = trace_of(
      {"alltoall", "--torus", "8x8", "--bytes", "4800", "--no-bubble", "--routing", "deterministic",
       "--queues", "6", "--machine", TOROID_SOURCE_DIR "/tools/machines/smallest-buffers.toml"},
      directory, 1);
  EXPECT_EQ(trace["otherData"]["complete"], false);
  EXPECT_GT(trace["traceEvents"].size(), 100U);
}

}  // namespace
}  // namespace toroid::testing
