// toroid paper: its rows, its machine file, and the arithmetic between them.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/plan/description.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "tests/scale.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tools/files/machine_file.hpp"
#include "tools/lab/paper/comparison_rows.hpp"
#include "tools/lab/paper/expression.hpp"
#include "tools/lab/paper/published.hpp"
#include "tools/lab/paper/simulation.hpp"
#include "tools/text/json.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

PaperSetting fitted() {
  return {load_machine("bgl-fitted")};
}

const char* partition_of_512(bool is_mesh) {
  return is_mesh ? "8mx8mx8m" : "8x8x8";
}

TransformCase of_table1(std::int64_t size, bool is_mesh) {
  return {fft::Method::volumetric, partition_of_512(is_mesh), size};
}

PaperRow row_named(const std::vector<PaperRow>& rows, const std::string& what) {
  for (const PaperRow& row : rows)
    if (row.what == what) return row;
  throw std::runtime_error("no row " + what);
}

TEST(PaperRow, HasARatioOnlyIfBothValuesAreKnown) {
  PaperRow row{"table1", "a time", "Table 1", "s"};
  row.bar = RatioBar{0.8, 1.2};
  EXPECT_FALSE(row.ratio());
  EXPECT_FALSE(row.misses_bar());
  row.ours = 3.0;
  EXPECT_FALSE(row.ratio());
  row.seed = 0.0;
  EXPECT_FALSE(row.ratio()) << "a ratio to zero is undefined";
  row.seed = 2.0;
  EXPECT_EQ(row.ratio(), 1.5);
  EXPECT_TRUE(row.misses_bar());
  row.bar.reset();
  EXPECT_FALSE(row.misses_bar());
}

TEST(PaperRow, RatioBarIncludesItsEnds) {
  const RatioBar bar{0.75, 1.25};
  EXPECT_TRUE(bar.holds(0.75));
  EXPECT_TRUE(bar.holds(1.25));
  EXPECT_FALSE(bar.holds(0.7499));
  EXPECT_FALSE(bar.holds(1.2501));
  EXPECT_FALSE(bar.holds(std::nan("")));
}

TEST(PaperSections, ListEveryRowEvenWithoutItsRun) {
  const std::map<std::string_view, std::size_t> expected = {
      {"table1", 2 * 3 * 7},           {"model", 3 * 7},        {"patent", 5},
      {"asymmetric", 4 * 3},           {"engines", 3},          {"curves", 9},
      {"slab", 2 * 3 * 7 * 3 + 3 + 4}, {"orbital", 3 * (4 + 4)}};
  EXPECT_EQ(paper_sections().size(), expected.size());
  for (const PaperSection& section : paper_sections()) {
    const std::vector<PaperRow> rows = section.rows({}, fitted());
    EXPECT_EQ(rows.size(), expected.at(section.name())) << section.name();
    for (const PaperRow& row : rows) {
      EXPECT_EQ(row.section, section.name());
      EXPECT_FALSE(row.what.empty() || row.source.empty() || row.unit.empty()) << row.what;
      EXPECT_FALSE(row.ours) << row.what;
      EXPECT_FALSE(row.misses_bar()) << row.what;
    }
    for (const std::size_t width : {std::size_t{80}, std::size_t{100}, std::size_t{200}}) {
      const std::string table = rows_head(width) + rows_table(rows, width);
      EXPECT_THAT(table, HasSubstr("left out"));
      EXPECT_THAT(table, Not(HasSubstr(" \n")));
      std::istringstream lines(table);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
    }
  }
}

TEST(PaperSections, RunsWithEqualKeysAreAllLongOrAllShort) {
  std::map<std::string, bool> is_long;
  for (const PaperSection& section : paper_sections())
    for (const Simulation& simulation : section.simulations())
      EXPECT_EQ(is_long.emplace(simulation.key, simulation.is_long).first->second,
                simulation.is_long)
          << simulation.key;
  EXPECT_TRUE(is_long.contains(of_table1(128, false).key()));
}

TEST(Published, ParsesRunsAndExpressions) {
  const auto sections = parse_published(
      "# a source\n"
      "section mine\n"
      "run a = transform torus=2x2x2 size=8\n"
      "run b = transform torus=2mx2x2 size=8 layer=mpi long\n"
      "\n"
      "# what | unit | published | ours | bound | bar | source | note\n"
      "twice | s | 1.5 | 2 * (b.time_s - a.time_s) | a | 0.5 to inf | Table 9 | of {machine}\n"
      "share | % | - | 100 * a.part.first / 8 | 100 link | | text |\n");
  ASSERT_EQ(sections.size(), 1u);
  const auto& runs = sections[0].simulations();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_TRUE(runs[1].is_long && !runs[0].is_long);
  PaperResults results;
  results[runs[0].key] = {
      {"cycles", 700e6}, {"bound_cycles", 350e6}, {"bound_by", "link"}, {"part", {{"first", 2}}}};
  results[runs[1].key] = {{"cycles", 1400e6}};
  const auto rows = sections[0].rows(results, fitted());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ours, 2.0);
  EXPECT_EQ(rows[0].seed, 1.5);
  EXPECT_EQ(rows[0].bound, 0.5);
  EXPECT_EQ(rows[0].bound_by, "link");
  EXPECT_FALSE(rows[0].misses_bar());
  EXPECT_EQ(rows[0].note, "of bgl-fitted");
  EXPECT_EQ(rows[1].ours, 25.0);
  EXPECT_FALSE(rows[1].seed);
  EXPECT_EQ(rows[1].bound, 100.0);
  EXPECT_FALSE(sections[0].rows({}, fitted())[0].ours) << "a run was left out";
}

TEST(Published, RefusesWrongLinesAndSaysWhatIsWrong) {
  const auto refusal_of = [](const std::string& text) -> std::string {
    try {
      for (const PaperSection& section : parse_published(text)) (void)section.rows({}, fitted());
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  };
  const std::string begun = "section mine\nrun a = transform torus=2 size=8\n";
  EXPECT_THAT(refusal_of("run a = transform torus=2 size=8\n"),
              HasSubstr("line 1: expected 'section NAME' before the first row or run"));
  EXPECT_THAT(refusal_of(begun + "x | s | 1\n"), HasSubstr("line 3: expected a row of 8 columns"));
  EXPECT_THAT(refusal_of("section m\nrun a = transform torus=2 sise=8\n"), HasSubstr("'sise=8'"));
  EXPECT_THAT(refusal_of("section m\nrun a = voyage torus=2\n"), HasSubstr("'voyage'"));
  EXPECT_THAT(refusal_of(begun + "x | s | 1 | b.time_s | | | t |\n"), HasSubstr("no run 'b'"));
  EXPECT_THAT(refusal_of(begun + "x | s | 1 | 2 * | | | t |\n"), HasSubstr("character 4"));
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  const auto value_of = [](std::string_view name) -> std::optional<double> {
    if (name == "a.b") return 3.0;
    return std::nullopt;
  };
  const auto value = [&](const char* text) { return evaluate(text, value_of); };
  EXPECT_EQ(value("1 + 2 * 3 - 4 / 2"), 5.0);
  EXPECT_EQ(value("(1 + 2) * 3"), 9.0);
  EXPECT_EQ(value("10 - 3 - 2"), 5.0);
  EXPECT_EQ(value("16 / 4 / 2"), 2.0);
  EXPECT_EQ(value("2*a.b-1.5e0"), 4.5);
  EXPECT_EQ(value("inf"), std::numeric_limits<double>::infinity());
  for (const char* unknown : {"-", "", "c", "1 + c", "1 / 0", "1 / (a.b - 3)"})
    EXPECT_FALSE(value(unknown)) << unknown;
  for (const char* wrong : {"1 +", "(1", "1)", "1 2", "a b", "*2", "1 & 2"})
    EXPECT_THROW(value(wrong), BadInput) << wrong;
}

/// Made-up results of Table 1, for 64^3 only.
PaperResults made_up(double mesh_cycles, double torus_cycles) {
  PaperResults results;
  results[of_table1(64, true).key()] = {{"cycles", mesh_cycles}, {"bound_cycles", 7}};
  results[of_table1(64, false).key()] = {{"cycles", torus_cycles}, {"bound_cycles", 7}};
  return results;
}

TEST(Table1, SplitsTimesAsThePaperDoes) {
  const auto rows = paper_section("table1").rows(made_up(700e6, 490e6), fitted());  // 1 s, 0.7 s
  EXPECT_NEAR(*row_named(rows, "active packets, mesh / torus 64^3").ours, 1 / 0.7, 1e-12);
  EXPECT_NEAR(*row_named(rows, "active packets, T_bandwidth 64^3").ours, 0.3, 1e-12);
  EXPECT_NEAR(*row_named(rows, "active packets, T_non-bandwidth 64^3").ours, 0.4, 1e-12);
  EXPECT_FALSE(row_named(rows, "active packets, T_bandwidth 128^3").ours);
  EXPECT_TRUE(row_named(rows, "active packets, mesh 64^3").misses_bar());
}

/// The cells that the paper derives from its mesh time and its torus time agree with these times to
/// the printed digits.
TEST(Table1, DerivedCellsAgreeWithPublishedTimes) {
  unsigned cells = 0;
  for (const char* section : {"table1", "model"}) {
    const auto rows = paper_section(section).rows({}, fitted());
    for (const char* part : {"active packets", "MPI collective", "paper's model"})
      for (const int n : {32, 64, 128}) {
        const auto printed = [&](const char* name) -> std::optional<double> {
          const std::string what = fmt::format("{}, {} {}^3", part, name, n);
          const auto row = std::ranges::find(rows, what, &PaperRow::what);
          return row == rows.end() ? std::nullopt : row->seed;
        };
        if (!printed("mesh")) continue;
        const double mesh = *printed("mesh"), torus = *printed("torus");
        const double digit = 0.01 * torus;  // rounding of the times
        const double points = std::pow(n, 3);
        EXPECT_NEAR(*printed("mesh / torus"), mesh / torus, 0.015) << part << n;
        EXPECT_NEAR(*printed("T_bandwidth"), mesh - torus, digit) << part << n;
        EXPECT_NEAR(*printed("T_non-bandwidth"), 2 * torus - mesh, 2 * digit) << part << n;
        EXPECT_NEAR(*printed("T_bandwidth/N^3") * points, *printed("T_bandwidth"), digit)
            << part << n;
        EXPECT_NEAR(*printed("T_non-bandwidth/[N^3 log2(N)]") * points * std::log2(n),
                    *printed("T_non-bandwidth"), digit)
            << part << n;
        cells += 7;
      }
  }
  EXPECT_EQ(cells, 49u);
}

TEST(Table1, ShowsOurMpiTimesIfThePaperHasNone) {
  PaperResults results;
  for (const bool is_mesh : {true, false}) {
    TransformCase what = of_table1(64, is_mesh);
    what.layer = fft::Layer::message_passing;
    results[what.key()] = {{"cycles", is_mesh ? 700e6 : 350e6}, {"bound_cycles", 7}};
  }
  const auto rows = paper_section("table1").rows(results, fitted());
  EXPECT_EQ(row_named(rows, "MPI collective, mesh / torus 64^3").ours, 2.0);
  EXPECT_FALSE(row_named(rows, "MPI collective, mesh / torus 64^3").seed);
  EXPECT_FALSE(row_named(rows, "MPI collective, mesh 64^3").misses_bar());
  EXPECT_FALSE(row_named(rows, "active packets, mesh 64^3").ours) << "another layer's run";
}

TEST(PaperModel, EqualsTheClosedFormula) {
  const PaperSetting setting = fitted();
  for (const std::int64_t n : {32, 64, 128})
    for (const bool is_mesh : {false, true}) {
      const Json figures = model_simulation(of_table1(n, is_mesh)).run(setting);
      const auto points = static_cast<double>(n * n * n) / 512;
      // An exchange in lines of p nodes takes p/4 hops over 2 links. One in planes takes twice the
      // hops over twice the links, so its time is the same. A mesh doubles the hops.
      const double exchange = points * 16 * (is_mesh ? 4 : 2) / (2 * 0.25 * 0.8);
      const double lines = points * 2 * std::log2(static_cast<double>(n));
      EXPECT_NEAR(figures["paper_model_cycles"].get<double>(), 3 * (exchange + lines), 3);
    }
}

/// Cycles that the hottest link needs for 2 full packets to each of `others` nodes, at 1/4 byte per
/// cycle. For an even extent k the mean distance is k/4, divided between two directions.
double cycles_of_the_hottest_link(double others, unsigned k) {
  return others * 2 * 270 * k / (8 * 0.25);
}

TEST(PolicySimulation, PeakTimeIsThatOfTheHottestLinkInClosedForm) {
  for (const auto& [sample, others] : {std::pair{0u, 16.0}, {4u, 4.0}})
    for (const char* policy : {"random", "two-phase"}) {
      const PolicyRun run{"4x2x2", policy, 464, sample};
      const Json figures = policy_simulation(run, false).run(fitted());
      const double peak =
          figures["percent_of_peak"].get<double>() * figures["cycles"].get<double>() / 100;
      EXPECT_NEAR(peak, cycles_of_the_hottest_link(others, 4), 1e-6) << run.key();
    }
}

TEST(PolicySimulation, TwoPhaseTakesTheSameHopsAsRandom) {
  const std::string torus = "4x2x2";
  // From each of 16 nodes: 4 peers at each of 0, 1, 2 and 1 hops along the line of 4, and in each
  // of the two other dimensions 8 peers at one hop.
  const std::uint64_t hops = 16 * (4 * (0 + 1 + 2 + 1) + 8 + 8) * 2;
  for (const char* policy : {"random", "two-phase"}) {
    const Json figures = policy_simulation({torus, policy, 464, 0}, false).run(fitted());
    EXPECT_EQ(figures["packet_hops"], hops) << policy;
  }
}

TEST(Asymmetric, ComparesDirectAndTwoPhaseOnEachTorus) {
  PaperResults results;
  results[PolicyRun{"64x32x32", "random", 464, 64}.key()] = {{"percent_of_peak", 32.0}};
  results[PolicyRun{"64x32x32", "two-phase", 464, 64}.key()] = {{"percent_of_peak", 99.0}};
  const auto rows = paper_section("asymmetric").rows(results, fitted());
  EXPECT_EQ(row_named(rows, "all-to-all on 64x32x32, direct").ratio(), 0.5);
  EXPECT_EQ(row_named(rows, "all-to-all on 64x32x32, two-phase").ratio(), 1.0);
  EXPECT_EQ(row_named(rows, "two-phase / direct on 64x32x32").ours, 99.0 / 32);
  EXPECT_EQ(row_named(rows, "two-phase / direct on 64x32x32").seed, 99.0 / 64);
  EXPECT_FALSE(row_named(rows, "two-phase / direct on 40x32x16").ours);
  EXPECT_FALSE(row_named(rows, "all-to-all on 8x8x16, direct").seed) << "nobody published it";
}

TEST(Asymmetric, SampledRunsAreLongAndTheirSampleIsAMultipleOfEveryExtent) {
  for (const Simulation& simulation : paper_section("asymmetric").simulations()) {
    unsigned sample = 0;
    char torus[16] = "";
    const bool is_sample =
        std::sscanf(simulation.key.c_str(), "sample:%u of 464 B on %15s", &sample, torus) == 2;
    EXPECT_EQ(simulation.is_long, is_sample) << simulation.key;
    if (!is_sample) continue;
    const Shape shape = Shape::parse(torus);
    for (unsigned d = 0; d < shape.dims(); ++d)
      EXPECT_EQ(sample % shape.extent(d), 0u) << simulation.key;
  }
}

/// Times of a run's blocks in seconds, as the slab paper prints them.
Json slab_blocks(double communication, double ratio) {
  const auto blocks = [](double waits) -> Json {
    return {
        {"plane_loop", 1.0}, {"pack", 1.0}, {"waits", waits}, {"last_axis", 1.0}, {"unpack", 1.0}};
  };
  return {{"blocking", blocks(communication)},
          {"non_blocking", blocks(communication * ratio)},
          {"ratio", blocks(ratio)}};
}

TEST(SlabBlocks, CompareTimesRatiosAndSpeedUpsWithThePaper) {
  PaperResults results;
  results[SlabCase{"2x2x1", 128, 2, 1}.key()] = slab_blocks(0.8, 0.2);
  results[SlabCase{"4x2x2", 128, 2, 1}.key()] = slab_blocks(0.2, 0.53);
  results[SlabCase{"2x2x1", 128, 1, 2}.key()] = slab_blocks(0.1, 0.42);
  const auto rows = paper_section("slab").rows(results, fitted());
  EXPECT_EQ(row_named(rows, "128^3, 4 proc., communication").ratio(), 2.0);
  EXPECT_EQ(row_named(rows, "128^3, box cut 2, 4 proc., communication").ratio(), 0.5);
  EXPECT_EQ(row_named(rows, "128^3, box cut 2, 4 proc., comm. / full").ours, 0.125);
  EXPECT_NEAR(*row_named(rows, "128^3, box cut 2, 4 proc., comm. / full").seed, 0.28, 0.005);
  EXPECT_FALSE(row_named(rows, "128^3, 8 proc., communication").ours);
  const auto speed_up = std::ranges::find_if(rows, [](const PaperRow& row) {
    return row.what == "128^3, 16 proc., communication, blocking" && row.unit == "speed-up";
  });
  EXPECT_EQ(speed_up->ours, 4.0);
  EXPECT_EQ(speed_up->seed, 3.03);
  const PaperRow seconds = row_named(rows, "128^3, 4 proc., communication, non-blocking");
  EXPECT_EQ(seconds.unit, "s");
  EXPECT_EQ(seconds.seed, 0.002268);
  EXPECT_NEAR(*seconds.ours, 0.16, 1e-12);
  EXPECT_THAT(seconds.note, HasSubstr("ours: bgl-fitted;"));
  const PaperRow allocate = row_named(rows, "128^3, box cut 2, 8 proc., allocate");
  EXPECT_EQ(allocate.seed, 1.0);
  EXPECT_FALSE(allocate.ours);
  EXPECT_EQ(allocate.note, "ours: takes no virtual time");
}

/// The published cells are redundant: a non-blocking time is the blocking time times the ratio.
TEST(SlabBlocks, PublishedCellsAreConsistent) {
  const auto rows = paper_section("slab").rows({}, fitted());
  for (const char* table : {"128^3", "128^3, box cut 2"})
    for (const char* block : {"nd3proc", "unmpiswitch", "communication", "md2proc", "unscramble"}) {
      const auto figure = [&](unsigned processes, const char* version) {
        return *row_named(rows, fmt::format("{}, {} proc., {}{}", table, processes, block, version))
                    .seed;
      };
      const double blocking = figure(4, ", blocking");
      const double non_blocking = figure(4, ", non-blocking");
      EXPECT_NEAR(non_blocking / blocking, figure(4, ""), 0.01) << table << block;
      for (const unsigned processes : {8u, 16u}) {
        const double ratio = non_blocking / figure(processes, ", non-blocking") /
                             (blocking / figure(processes, ", blocking"));
        EXPECT_NEAR(ratio / figure(processes, ""), 1, 0.06) << table << block << processes;
      }
    }
}

TEST(SlabBlocks, WaitAQuarterOfTheTimeWithBoxCut2) {
  const auto seconds = [](double box_cut) {
    const SlabCase what{"2x1x1", 32, 1, box_cut};
    const Json figures = slab_simulation(what).run(fitted());
    return figures["blocking"]["waits"].get<double>();
  };
  EXPECT_NEAR(seconds(2) / seconds(1), 0.25, 0.025);
}

/// Besides the fitted numbers there are two choices: ties go by parity, as in IBM's packet layer,
/// and equal candidates are served as in the version with which the numbers were fitted.
TEST(FittedMachine, DiffersInAtMostTwoFittedNumbersPerLayerAndInTwoChoices) {
  const Machine machine = fitted().machine;
  const Json numbers = fitted_numbers(machine);
  EXPECT_LE(numbers.size(), 2u * 2);
  EXPECT_EQ(machine.tie_choice, static_cast<unsigned>(TieRule::parity));
  EXPECT_EQ(machine.arbitration_choice, 0u);
  for (const MachineField& field : machine_fields()) {
    const bool is_choice = field.key == "tie_choice" || field.key == "arbitration_choice";
    const bool differs = value_of(machine, field) != value_of(Machine{}, field);
    EXPECT_EQ(differs, is_choice || numbers.contains(field.key)) << field.key;
    EXPECT_TRUE(!differs || machine.sources.contains(std::string(field.key))) << field.key;
    EXPECT_TRUE(!differs || field.origin == Origin::assumed) << "published numbers are not fitted";
  }
}

/// Returns the ratio of our time to the paper's time, from the comment in the machine file.
double documented_residual(const std::string& partition, std::int64_t size) {
  std::string text;
  for (const MachinePreset& preset : machine_presets())
    if (preset.name == "bgl-fitted") text = preset.text;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word != "residual") continue;
    std::string name;
    std::int64_t n = 0;
    double residual = 0;
    if (words >> name >> n >> residual && name == partition && n == size) return residual;
  }
  throw std::runtime_error("the machine file documents no residual for that run");
}

TEST(FittedMachine, CheapRunsMeetTheirBarsAndDocumentedRatios) {
  constexpr double kChance = 0.08;  // change of the smallest array's times with the seed
  using Cheap = std::vector<std::pair<int, bool>>;  // size, whether it is a mesh
  const Cheap cheap =
      testing::full_or(Cheap{{32, true}, {32, false}, {64, false}}, {{32, true}, {32, false}});
  std::vector<Simulation> simulations;
  for (const auto& [size, is_mesh] : cheap)
    simulations.push_back(transform_simulation(of_table1(size, is_mesh), false));
  const PaperResults results = simulate(simulations, fitted(), {2, true});
  const auto rows = paper_section("table1").rows(results, fitted());
  for (const auto& [size, is_mesh] : cheap) {
    const char* const partition = is_mesh ? "mesh" : "torus";
    const PaperRow row = row_named(rows, fmt::format("active packets, {} {}^3", partition, size));
    EXPECT_FALSE(row.misses_bar()) << row.what;
    EXPECT_NEAR(row.ratio().value(), documented_residual(partition, size), kChance) << row.what;
    EXPECT_LT(*row.bound, *row.ours);
  }
  EXPECT_FALSE(row_named(rows, "active packets, mesh / torus 32^3").misses_bar());
}

TEST(Simulate, PassesOnExceptionsOfRuns) {
  const Simulation good{"good", [](const PaperSetting&) { return Json{{"cycles", 1}}; }};
  const Simulation bad{"bad", [](const PaperSetting&) -> Json { throw RunFailed("no luck"); }};
  EXPECT_EQ(simulate({good}, fitted(), {3, true}).at("good")["cycles"], 1);
  EXPECT_THROW(simulate({good, bad, good}, fitted(), {2, true}), RunFailed);
}

TEST(PaperFormats, CsvQuotesSpecialCharacters) {
  PaperRow row{"slab", "a \"block\", packed", "Table 1", "s", 2.0, 1.0};
  const std::string csv = rows_csv({row});
  EXPECT_THAT(csv, HasSubstr("slab,\"a \"\"block\"\", packed\",s,2,1,0.5,,,,,,\"Table 1\",\"\"\n"));
  EXPECT_EQ(rows_json({row})[0]["bar"], Json());
}

TEST(PaperCommand, CountsOrbitalStepsExactlyAndTimesThem) {
  const json report = json_of({"paper", "--rows", "orbital", "--threads", "1"});
  ASSERT_EQ(report["rows"].size(), 24u);
  std::size_t counts = 0;
  for (const json& row : report["rows"]) {
    ASSERT_FALSE(row["ours"].is_null()) << row;
    if (!row["seed"].is_null()) {
      ++counts;
      EXPECT_EQ(row["ratio"], 1.0) << row;
    } else if (row["unit"] == "s") {
      EXPECT_LE(row["bound"], row["ours"]) << row;
    } else {
      EXPECT_LT(row["ours"], 1.0) << row;
    }
  }
  EXPECT_EQ(counts, 12u);
  EXPECT_TRUE(report["missed_bars"].empty());
  EXPECT_EQ(report["fitted"].size(), 4u);
  EXPECT_EQ(report["result_hash"],
            json_of({"paper", "--rows", "orbital", "--threads", "2"})["result_hash"]);
}

TEST(PaperCommand, WritesTheModelAsCsv) {
  const TemporaryDirectory directory;
  const Ended ended = run_command({"paper", "--rows", "model", "--csv", directory / "rows.csv"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("fitted: inject_cycles"));
  const std::string csv = directory.content_of("rows.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3 * 7);
}

TEST(PaperCommand, FailsIfABarIsMissed) {
  const TemporaryDirectory directory;
  directory.save("fast.toml", "clock = \"1 GHz\"\n");
  const Ended ended =
      run_command({"paper", "--rows", "model", "--machine", directory / "fast.toml"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("outside its bar: paper's model, mesh 32^3"));
}

TEST(PaperCommand, RefusesUnknownRows) {
  const TemporaryDirectory directory;
  expect_refusal(directory, {"paper", "--rows", "table1,nonsense", "--csv", "rows.csv"},
                 {"unknown rows 'nonsense'", "table1, model"});
  expect_refusal(directory, {"paper", "--rows", ""}, {"--rows"});
}

}  // namespace
}  // namespace toroid::testing
