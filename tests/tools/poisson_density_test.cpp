// toroid poisson --in: potentials of densities, compared with known potentials and with sums over
// eigenfunctions, on every fabric and by every method; refused densities and settings.
#include <fmt/core.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_command.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"
#include "tests/tools/values.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/host_array.hpp"
#include "tools/files/map_frame.hpp"
#include "tools/files/map_writer.hpp"
#include "tools/files/npy.hpp"
#include "tools/run/ofi.hpp"
#include "tools/transform/poisson_equation.hpp"
#include "tools/transform/serial_poisson.hpp"

namespace toroid::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::vector<std::string> kBoundaries = {"periodic", "dirichlet", "neumann"};

/// A grid in a box.
struct Grid {
  Extents size;
  Cell cell;

  std::size_t points() const { return size[0] * size[1] * size[2]; }
  std::string cell_text() const { return fmt::format("{}", fmt::join(cell, ",")); }
};

/// Calls visit(number in C order, indices) for every point.
template <typename Visit>
void for_each_point(const Grid& grid, const Visit& visit) {
  std::size_t number = 0;
  for (std::size_t x = 0; x < grid.size[0]; ++x)
    for (std::size_t y = 0; y < grid.size[1]; ++y)
      for (std::size_t z = 0; z < grid.size[2]; ++z) visit(number++, std::array{x, y, z});
}

/// A function of one axis and its second derivative.
struct Profile {
  double value;
  double second;
};

/// A smooth function that satisfies the boundary condition; t is 2πx/L if periodic, else πx/L. It
/// is exp(cos t), and sin t exp(cos t) for dirichlet.
Profile profile(const std::string& boundary, double t) {
  const double c = std::cos(t), s = std::sin(t), e = std::exp(c);
  if (boundary == "dirichlet") return {s * e, s * e * (s * s - 3 * c - 1)};
  return {e, e * (s * s - c)};
}

struct Manufactured {
  Values density;
  Values potential;  ///< with a mean of 0 unless the boundary is dirichlet
};

void remove_mean(Values& values) {
  Complex sum = 0;
  for (const Complex& value : values) sum += value;
  for (Complex& value : values) value -= sum / static_cast<double>(values.size());
}

/// A product of profiles, and minus its Laplacian.
Manufactured manufactured(const std::string& boundary, const Grid& grid) {
  Manufactured made{Values(grid.points()), Values(grid.points())};
  const bool is_periodic = boundary == "periodic";
  for_each_point(grid, [&](std::size_t number, const std::array<std::size_t, 3>& at) {
    double product = 1;
    double curvature = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double wave_number = (is_periodic ? 2 : 1) * std::numbers::pi / grid.cell[axis];
      const double place = (static_cast<double>(at[axis]) + (is_periodic ? 0 : 0.5)) *
                           grid.cell[axis] / static_cast<double>(grid.size[axis]);
      const Profile one = profile(boundary, wave_number * place);
      product *= one.value;
      curvature += wave_number * wave_number * one.second / one.value;
    }
    made.potential[number] = product;
    made.density[number] = -curvature * product;
  });
  if (boundary != "dirichlet") remove_mean(made.potential);
  return made;
}

Values random_values(std::size_t points) {
  std::mt19937_64 engine(7);
  Values values(points);
  for (Complex& value : values) value = static_cast<double>(engine() >> 11) * 0x1p-53 - 0.3;
  return values;
}

class PoissonDensity : public ::testing::Test {
 protected:
  void save_density(const Grid& grid, const Values& values, NpyType type = NpyType::f8) {
    std::ostringstream file;
    write_npy(file, grid.size, values, type);
    directory_.save("rho.npy", file.str());
  }
  Arguments run_of(const Grid& grid, const std::string& boundary) const {
    return {"poisson", "--in",           "rho.npy",    "--out", "phi.npy",
            "--cell",  grid.cell_text(), "--boundary", boundary};
  }
  Ended solve(const Arguments& run) {
    const Ended ended = run_command(run, {.directory = directory_.path()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended;
  }
  json json_of_density(const Arguments& run) {
    return json::parse(solve(run + Arguments{"--json", "-"}).out);
  }
  Values potential() const { return read_npy(directory_ / "phi.npy").values; }
  /// The error of the potential of a manufactured density, relative to the potential.
  double error_of(const std::string& boundary, const Grid& grid, const Arguments& more) {
    const Manufactured made = manufactured(boundary, grid);
    save_density(grid, made.density);
    solve(run_of(grid, boundary) + more);
    return distance(potential(), made.potential);
  }

  TemporaryDirectory directory_;
};

Grid grid_of(const Extents& size) {
  return {size, {1.5, 0.8, 2.25}};
}

TEST_F(PoissonDensity, ConvergesFasterThanAnyPowerOfTheSpacing) {
  const std::vector<Arguments> methods = {{"--torus", "2x2x2"},
                                          {"--torus", "3", "--method", "slab", "--planes", "1"},
                                          {"--torus", "2x3", "--method", "rows"}};
  for (std::size_t b = 0; b < kBoundaries.size(); ++b) {
    const std::string& boundary = kBoundaries[b];
    SCOPED_TRACE(boundary);
    const double coarse = error_of(boundary, grid_of({5, 6, 7}), methods[b]);
    const double finer = error_of(boundary, grid_of({11, 10, 13}), methods[(b + 1) % 3]);
    const double finest = error_of(boundary, grid_of({29, 34, 31}), methods[(b + 2) % 3]);
    EXPECT_GT(coarse, 1e-5);
    EXPECT_LT(coarse, 0.2);
    EXPECT_LT(finer, coarse * coarse);
    EXPECT_LT(finest, 1e-13);
  }
}

/// φ by the definition: the sum over all pairs of points and all eigenfunctions.
Values direct_sum(const std::string& boundary, const Grid& grid, const Values& density) {
  constexpr double kPi = std::numbers::pi;
  Values result(density.size());
  /// The product of an eigenfunction's values at two points, for one axis, divided by its norm.
  const auto pair = [&](std::size_t axis, std::size_t k, std::size_t i, std::size_t j) {
    const double n = static_cast<double>(grid.size[axis]);
    const auto at = [&](std::size_t point) {
      return kPi * (static_cast<double>(point) + 0.5) / n * static_cast<double>(k);
    };
    if (boundary == "periodic")  // the waves k and -k together
      return std::cos(2 * kPi * static_cast<double>(k) / n *
                      (static_cast<double>(i) - static_cast<double>(j))) /
             n;
    if (boundary == "neumann") return (k == 0 ? 1 : 2) / n * std::cos(at(i)) * std::cos(at(j));
    return (k == grid.size[axis] ? 1 : 2) / n * std::sin(at(i)) * std::sin(at(j));
  };
  const auto eigenvalue = [&](const std::array<std::size_t, 3>& k) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t n = grid.size[axis];
      const std::size_t half_periods =
          boundary == "periodic" ? 2 * std::min(k[axis], n - k[axis]) : k[axis];
      sum += std::pow(kPi * static_cast<double>(half_periods) / grid.cell[axis], 2);
    }
    return sum;
  };
  for_each_point(grid, [&](std::size_t, std::array<std::size_t, 3> k) {
    if (boundary == "dirichlet")
      for (std::size_t& one : k) ++one;
    const double square = eigenvalue(k);
    if (square == 0) return;
    for_each_point(grid, [&](std::size_t to, const std::array<std::size_t, 3>& i) {
      for_each_point(grid, [&](std::size_t from, const std::array<std::size_t, 3>& j) {
        result[to] += pair(0, k[0], i[0], j[0]) * pair(1, k[1], i[1], j[1]) *
                      pair(2, k[2], i[2], j[2]) / square * density[from];
      });
    });
  });
  return result;
}

/// Small grids with odd and even extents.
std::vector<Grid> small_grids() {
  return {{{3, 4, 5}, {1, 1, 2}}, {{4, 2, 3}, {3, 0.5, 1}}, {{1, 6, 2}, {0.25, 2, 7}}};
}

TEST_F(PoissonDensity, EqualsTheSumOverEigenfunctionsByEveryMethodOnEveryFabric) {
  const std::vector<Arguments> ways = {
      {"--torus", "1"},
      {"--torus", "2x2x2", "--fabric", "shm"},
      {"--torus", "2", "--method", "rows"},
      {"--torus", "5", "--method", "rows", "--fabric", "shm", "--kernel", "kissfft"},
      {"--torus", "1", "--method", "slab"}};
  for (const std::string& boundary : kBoundaries)
    for (const Grid& grid : small_grids()) {
      const Values density = random_values(grid.points());
      const Values expected = direct_sum(boundary, grid, density);
      save_density(grid, density);
      for (const Arguments& way : ways) {
        solve(run_of(grid, boundary) + way);
        EXPECT_LT(distance(potential(), expected), 1e-14) << boundary << ' ' << way.back();
      }
    }
}

TEST_F(PoissonDensity, SerialSolutionEqualsTheSumOverEigenfunctions) {
  for (std::size_t b = 0; b < kBoundaries.size(); ++b)
    for (const Grid& grid : small_grids()) {
      const PoissonEquation equation{
          {grid.size.begin(), grid.size.end()}, grid.cell, static_cast<Boundary>(b)};
      const Values density = random_values(grid.points());
      const HostArray array{equation.size, 1, density};
      EXPECT_LT(distance(serial_poisson(equation, array).values,
                         direct_sum(kBoundaries[b], grid, density)),
                1e-14)
          << kBoundaries[b];
    }
}

TEST_F(PoissonDensity, IsSolvedByTheOrbitalMethodToo) {
  const Grid grid{{4, 6, 8}, {1, 2, 1}};
  for (const std::string& boundary : kBoundaries) {
    save_density(grid, random_values(grid.points()));
    const Arguments run = run_of(grid, boundary) + Arguments{"--torus", "2x2x2", "--check"};
    solve(run);
    const Values volumetric = potential();
    const json report = json_of_density(run + Arguments{"--method", "orbital"});
    EXPECT_LT(distance(potential(), volumetric), 1e-14) << boundary;
    EXPECT_FALSE(report.contains("kernel"));
  }
}

TEST_F(PoissonDensity, HasEqualBitsOnAllFabrics) {
  const Grid grid = grid_of({9, 8, 10});
  for (const std::string& boundary : kBoundaries) {
    save_density(grid, random_values(grid.points()));
    const Arguments run = run_of(grid, boundary) + Arguments{"--torus", "2x3"};
    const json sim = json_of_density(run);
    const Values expected = potential();
    const json shm = json_of_density(run + kShm);
    EXPECT_EQ(potential(), expected) << boundary;
    EXPECT_EQ(sim["time_kind"], "virtual");
    EXPECT_EQ(shm["time_kind"], "shm");
    EXPECT_EQ(json_of_density(run + Arguments{"--threads", "2"})["result_hash"],
              sim["result_hash"]);
  }
}

TEST_F(PoissonDensity, HasEqualBitsInSeveralProcesses) {
  if (!has_ofi()) GTEST_SKIP() << "built without ofi";
  const Grid grid = grid_of({9, 8, 10});
  save_density(grid, random_values(grid.points()));
  const Arguments run = run_of(grid, "neumann") + Arguments{"--torus", "2x2"};
  solve(run);
  const Values expected = potential();
  const Ended ended = run_process(Arguments{"launch", "-n", "2", "--", TOROID_COMMAND} + run +
                                      Arguments{"--fabric", "ofi", "--check", "--json", "-"},
                                  {.directory = directory_.path()});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.json()["processes"], 2);
  EXPECT_EQ(potential(), expected);
  EXPECT_EQ(ended.err_lines(), 1) << ended.err;  // the warning of the mean, once
}

TEST_F(PoissonDensity, HasTheNumbersOfPointsAsItsBoxByDefault) {
  const Grid grid{{4, 3, 5}, {4, 3, 5}};
  save_density(grid, random_values(grid.points()));
  solve({"poisson", "--in", "rho.npy", "--out", "phi.npy", "--torus", "2"});
  const Values expected = potential();
  const json report = json_of_density(run_of(grid, "periodic") + Arguments{"--torus", "2"});
  EXPECT_EQ(potential(), expected);
  EXPECT_EQ(report["cell"], (json{4.0, 3.0, 5.0}));
  EXPECT_EQ(report["size"], (json{4, 3, 5}));
}

TEST_F(PoissonDensity, PositiveChargeHasAPositivePotentialThatGrowsWithTheSquareOfTheBox) {
  Grid grid{{6, 5, 4}, {1, 1, 1}};
  Values density(grid.points());
  density[33] = 1;
  for (const std::string& boundary : kBoundaries) {
    grid.cell = {1, 1, 1};
    save_density(grid, density);
    solve(run_of(grid, boundary) + Arguments{"--torus", "2"});
    const Values small = potential();
    EXPECT_GT(small[33].real(), 0) << boundary;
    grid.cell = {1e40, 1e40, 1e40};
    solve(run_of(grid, boundary) + Arguments{"--torus", "2"});
    Values large = potential();
    for (Complex& value : large) value /= 1e80;
    EXPECT_LT(distance(large, small), 1e-14) << boundary;
  }
}

TEST_F(PoissonDensity, WarnsOfAMeanThatABackgroundNeutralises) {
  const Grid grid = grid_of({6, 5, 4});
  Values density = random_values(grid.points());
  remove_mean(density);
  for (const std::string& boundary : kBoundaries) {
    const Arguments run = run_of(grid, boundary) + Arguments{"--torus", "2"};
    save_density(grid, density);
    EXPECT_EQ(solve(run).err, "") << boundary;
    const Values expected = potential();
    Values charged = density;
    for (Complex& value : charged) value += 0.25;
    save_density(grid, charged);
    const Ended ended = solve(run + Arguments{"--quiet"});
    if (boundary == "dirichlet") {
      EXPECT_EQ(ended.err, "");
      continue;
    }
    EXPECT_EQ(ended.err_lines(), 1);
    EXPECT_THAT(ended.err, HasSubstr("rho.npy: the mean is 0.25"));
    EXPECT_THAT(ended.err, HasSubstr(boundary));
    EXPECT_LT(distance(potential(), expected), 1e-13);
    EXPECT_NEAR(json_of_density(run)["mean"].get<double>(), 0.25, 1e-15);
    Complex sum = 0;
    for (const Complex& value : potential()) sum += value;
    EXPECT_LT(std::abs(sum), 1e-13);
  }
}

TEST_F(PoissonDensity, TakesAndGivesSinglePrecision) {
  const Grid grid{{8, 6, 9}, {1e-25, 2e-25, 1e-25}};
  for (const std::string& boundary : kBoundaries) {
    Values density = random_values(grid.points());
    for (Complex& value : density) value *= 1e30;
    save_density(grid, density, NpyType::f4);
    const Arguments run = run_of(grid, boundary) + Arguments{"--torus", "2x2", "--check"};
    solve(run);
    const Values expected = potential();
    const json report = json_of_density(run + Arguments{"--precision", "single"});
    EXPECT_EQ(read_npy(directory_ / "phi.npy").dtype, "<f4");
    EXPECT_LT(distance(potential(), expected), 1e-6) << boundary;
    EXPECT_EQ(report["precision"], "single");
  }
}

TEST_F(PoissonDensity, CheckReportsTheErrorAgainstASerialSolution) {
  const Grid grid = grid_of({12, 9, 10});
  save_density(grid, random_values(grid.points()));
  for (const std::string& boundary : kBoundaries) {
    const json report =
        json_of_density(run_of(grid, boundary) + Arguments{"--torus", "2x2", "--check"});
    EXPECT_EQ(report["verb"], "poisson");
    EXPECT_EQ(report["boundary"], boundary);
    EXPECT_LT(report["l2_error"].get<double>(), 1e-13);
    EXPECT_GT(report["l2_error"].get<double>(), 0);
    EXPECT_LT(report["max_error"].get<double>(), 1e-13);
    EXPECT_EQ(report.contains("mean"), boundary != "dirichlet");
    for (const char* key : {"cycles", "bound_cycles", "packets", "bytes_per_process"})
      EXPECT_TRUE(report[key].is_number_unsigned()) << key;
    EXPECT_GE(report["percent_of_bound"].get<double>(), 0);
    EXPECT_FALSE(report["phases"].empty());
  }
}

TEST_F(PoissonDensity, PrintsATableAndRepeatsOnTheWallClock) {
  const Grid grid = grid_of({6, 5, 4});
  save_density(grid, random_values(grid.points()));
  const Ended ended = solve(run_of(grid, "dirichlet") +
                            Arguments{"--torus", "2", "--repeat", "3", "--check"} + kShm);
  EXPECT_THAT(ended.out, HasSubstr("potential of 6x5x4, cell 1.5 x 0.8 x 2.25, dirichlet"));
  EXPECT_THAT(ended.out, HasSubstr("    3 times"));
  EXPECT_THAT(ended.out, HasSubstr("against serial"));
}

TEST_F(PoissonDensity, WritesAReport) {
  const Grid grid = grid_of({6, 5, 4});
  save_density(grid, random_values(grid.points()));
  solve(run_of(grid, "neumann") + Arguments{"--torus", "2", "--report", "r.html"});
  const std::string page = directory_.content_of("r.html");
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_THAT(page, HasSubstr("\"kind\":\"density\""));
  EXPECT_THAT(page, HasSubstr("\"kind\":\"potential\""));
}

TEST_F(PoissonDensity, OfZeroHasAPotentialOfZero) {
  for (const Extents& size : {Extents{3, 4, 5}, {1, 1, 1}}) {
    const Grid grid = grid_of(size);
    save_density(grid, Values(grid.points()));
    for (const std::string& boundary : kBoundaries) {
      solve(run_of(grid, boundary) + Arguments{"--torus", "2", "--check"});
      EXPECT_EQ(potential(), Values(grid.points())) << boundary;
    }
  }
}

TEST_F(PoissonDensity, RefusesDensitiesThatItCannotSolveFor) {
  const Grid grid = grid_of({4, 3, 2});
  const Arguments run = {"poisson", "--torus", "2",      "--in",  "rho.npy",
                         "--out",   "phi.npy", "--json", "r.json"};
  for (const Extents& size : {Extents{24}, {4, 6}, {2, 3, 2, 2}}) {
    save_density({size, {}}, Values(24, 1));
    expect_refusal(directory_, run,
                   {"rho.npy", fmt::format("has {} dimensions; expected 3", size.size())});
  }
  Values values = random_values(grid.points());
  values[5] = {1, 1e-300};
  save_density(grid, values, NpyType::c16);
  expect_refusal(directory_, run, {"rho.npy: element 5 in C order is not real"});
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    values[5] = bad;
    save_density(grid, values);
    expect_refusal(directory_, run, {"rho.npy: element 5 in C order is not finite"});
  }
  values[5] = 1e200;
  save_density(grid, values);
  expect_refusal(directory_, run + Arguments{"--precision", "single"},
                 {"element 5 in C order is too large for single precision"});
  expect_refusal(directory_, {"poisson", "--torus", "2", "--in", "none.npy", "--out", "phi.npy"},
                 {"none.npy"});
}

TEST_F(PoissonDensity, RefusesWrongCellsAndBoundaries) {
  const Grid grid = grid_of({4, 3, 2});
  save_density(grid, random_values(grid.points()));
  const Arguments run = {"poisson", "--torus", "2",      "--in",  "rho.npy",
                         "--out",   "phi.npy", "--json", "r.json"};
  for (const std::string cell : {"1,0,1", "1,1,-2", "nan,1,1", "1,inf,1", "1,x,1", "1,,1",
                                 "1,1,1e-101", "1,1,1e101", " 1,1,1"})
    expect_refusal(directory_, run + Arguments{"--cell=" + cell}, {"--cell", "is not a length"});
  for (const std::string cell : {"1", "1,1", "1,1,1,1"})
    expect_refusal(directory_, run + Arguments{"--cell=" + cell}, {"expected three lengths"});
  expect_refusal(directory_, run + Arguments{"--cell="},
                 {"option '--cell' of poisson needs a value"});
  expect_refusal(directory_, run + Arguments{"--boundary", "open"},
                 {"boundary 'open'", "periodic", "dirichlet", "neumann"});
}

TEST_F(PoissonDensity, RefusesOptionsOfTheOtherMode) {
  const Grid grid = grid_of({4, 3, 2});
  save_density(grid, random_values(grid.points()));
  const Arguments of_file = {"poisson", "--torus", "2", "--in", "rho.npy"};
  expect_refusal(directory_, of_file + Arguments{"--size", "8"},
                 {"--size has no effect on poisson --method volumetric with --in rho.npy"});
  const Arguments of_salt = {"poisson", "--torus", "2"};
  for (const Arguments& more : {Arguments{"--out", "phi.npy"},
                                {"--cell", "1,1,1"},
                                {"--boundary", "neumann"},
                                {"--precision", "single"},
                                {"--check"}})
    expect_refusal(directory_, of_salt + more,
                   {more[0] + " has no effect on poisson", "(it works with --in)"});
  expect_refusal(directory_, of_salt + Arguments{"--repeat", "2"} + kShm,
                 {"--repeat has no effect on poisson", "(it works with --in)"});
  expect_refusal(directory_, of_file + Arguments{"--repeat", "2"},
                 {"--repeat has no effect on poisson", "(it works with --fabric shm or ofi)"});
  expect_refusal(directory_, of_file + Arguments{"--method", "orbital"}, {"P x P x P"});
  expect_refusal(directory_, of_file + Arguments{"--out", "-", "--json", "-"}, {"--json -"});
}

TEST_F(PoissonDensity, LeavesNoPotentialThatSinglePrecisionCannotHold) {
  const Grid grid{{4, 3, 2}, {1e30, 1e30, 1e30}};
  save_density(grid, random_values(grid.points()));
  const Ended ended =
      run_command(run_of(grid, "dirichlet") + Arguments{"--torus", "2", "--precision", "single"},
                  {.directory = directory_.path()});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("the potential is too large for single precision"));
  EXPECT_EQ(directory_.entries(), std::vector<std::string>{"rho.npy"});
}

TEST_F(PoissonDensity, LeavesNoPotentialOfZerosThatIsOnlyTooSmall) {
  Grid grid{{4, 3, 2}, {1e-25, 1e-25, 1e-25}};
  save_density(grid, random_values(grid.points()));
  for (const Arguments& more : {Arguments{"--precision", "single"}, {"--out", "phi.map"}}) {
    Arguments run = run_of(grid, "dirichlet") + Arguments{"--torus", "2"};
    if (more[0] == "--out")
      std::ranges::replace(run, "phi.npy", "phi.map");
    else
      run = run + more;
    const Ended ended = run_command(run, {.directory = directory_.path()});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("the potential is too small for "));
    EXPECT_THAT(ended.err, HasSubstr(": all numbers are 0"));
    EXPECT_EQ(directory_.entries(), std::vector<std::string>{"rho.npy"});
  }
  grid.cell = {1e-19, 1e-19, 1e-19};
  const Ended ended = solve(run_of(grid, "dirichlet") +
                            Arguments{"--torus", "2", "--precision", "single", "--check"});
  EXPECT_THAT(ended.err, HasSubstr("24 numbers of the potential are too small for single"));
}

/// Random numbers along the last axis, the same for all places on the others.
Values along_z(const Grid& grid) {
  const Values line = random_values(grid.size[2]);
  Values values;
  while (values.size() < grid.points()) values.insert(values.end(), line.begin(), line.end());
  return values;
}

TEST_F(PoissonDensity, SaysThatFlatBoxesCostDigits) {
  const Grid flat{{6, 7, 8}, {1e8, 1e8, 1}};
  Values density = along_z(flat);
  remove_mean(density);
  for (const std::string boundary : {"periodic", "neumann"})
    for (const std::string precision : {"double", "single"}) {
      SCOPED_TRACE(boundary + precision);
      save_density(flat, density);
      const Arguments run =
          run_of(flat, boundary) + Arguments{"--torus", "2", "--precision", precision};
      const Ended ended = solve(run);
      EXPECT_THAT(ended.err, HasSubstr("the potential may have a relative error"));
      EXPECT_EQ(ended.err_lines(), 1);
      const Ended checked =
          run_command(run + Arguments{"--check"}, {.directory = directory_.path()});
      EXPECT_EQ(checked.exit_code, 1);
      EXPECT_THAT(checked.err, HasSubstr("the potential has too few digits"));
      // A density of all waves has a potential of long waves, which keeps its digits.
      Values all = random_values(flat.points());
      remove_mean(all);
      save_density(flat, all);
      EXPECT_EQ(solve(run).err, "");
      EXPECT_EQ(solve(run + Arguments{"--check"}).err, "");
    }
}

TEST_F(PoissonDensity, KeepsItsDigitsInUnevenBoxes) {
  for (const Cell& cell : {Cell{100, 100, 1}, Cell{1, 50, 2}, Cell{1e-3, 1, 1}}) {
    const Grid grid{{6, 7, 8}, cell};
    Values density = along_z(grid);
    remove_mean(density);
    save_density(grid, density);
    for (const std::string& boundary : kBoundaries)
      EXPECT_EQ(solve(run_of(grid, boundary) + Arguments{"--torus", "2", "--check"}).err, "");
  }
}

TEST_F(PoissonDensity, OfExtremeNumbersFitsWherePotentialDoes) {
  Grid grid{{4, 6, 8}, {1, 1, 1}};
  Values density = random_values(grid.points());
  remove_mean(density);
  for (const std::string& boundary : kBoundaries) {
    grid.cell = {1, 1, 1};
    save_density(grid, density);
    solve(run_of(grid, boundary) + Arguments{"--torus", "2"});
    const Values expected = potential();
    for (const auto& [precision, exponent] :
         {std::pair{"double", 1023}, {"double", -1000}, {"single", 127}, {"single", -110}}) {
      SCOPED_TRACE(boundary + precision + std::to_string(exponent));
      Values extreme = density;
      for (Complex& value : extreme) value = std::ldexp(value.real(), exponent);
      save_density(grid, extreme);
      solve(run_of(grid, boundary) +
            Arguments{"--torus", "2", "--precision", precision, "--check"});
      Values result = potential();
      for (Complex& value : result) value = std::ldexp(value.real(), -exponent);
      EXPECT_LT(distance(result, expected), precision == std::string("double") ? 1e-14 : 1e-5);
    }
  }
}

TEST_F(PoissonDensity, ToleratesTheRoundingOfTheStoredType) {
  const Grid grid{{1, 1, 4}, {1, 1, 1}};
  // 0x3c00 is 1, 0xbc00 is -1, 0x3c01 is 1 + 2^-10: a mean of 2.4e-4.
  std::string file = "\x93NUMPY\x01";
  file.push_back('\0');
  std::string header = "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1, 4), }";
  header.resize(117, ' ');
  header += '\n';
  file += static_cast<char>(header.size());
  file.push_back('\0');
  file += header;
  for (const int number : {0x3c01, 0xbc00, 0x3c00, 0xbc00}) {
    file += static_cast<char>(number & 255);
    file += static_cast<char>(number >> 8);
  }
  directory_.save("rho.npy", file);
  EXPECT_EQ(solve(run_of(grid, "periodic") + Arguments{"--torus", "1"}).err, "");
  save_density(grid, {1 + 0x1p-10, -1, 1, -1}, NpyType::f4);
  EXPECT_THAT(solve(run_of(grid, "periodic") + Arguments{"--torus", "1"}).err,
              HasSubstr("the mean is 0.000244"));
}

/// A map of 3 sections, 4 rows and 5 columns, which are Y, X and Z, with edges X 8, Y 9 and Z 20.
std::string placed_map(const Values& values) {
  MapFrame frame{.intervals = {4, 6, 10}, .cell = {8, 9, 20}, .angles = {90, 90, 90}};
  frame.axes = {3, 1, 2};
  std::vector<float> numbers;
  for (const Complex& value : values) numbers.push_back(static_cast<float>(value.real()));
  std::ostringstream file;
  write_map(file, Extents{3, 4, 5}, numbers, MapNumbers::real, &frame);
  return file.str();
}

TEST_F(PoissonDensity, TakesTheCellOfAMapAndWritesTheSolvedOne) {
  const Grid grid{{3, 4, 5}, {4.5, 8, 10}};
  const Values density = random_values(grid.points());
  directory_.save("rho.map", placed_map(density));
  const Arguments run = {"poisson", "--in", "rho.map",    "--out",    "phi.map",
                         "--torus", "2",    "--boundary", "dirichlet"};
  EXPECT_EQ(json_of_density(run)["cell"], (json{4.5, 8.0, 10.0}));
  StoredArray result = read_stored_array(directory_ / "phi.map");
  EXPECT_EQ(result.frame->cell, (std::array<float, 3>{8, 9, 20}));
  EXPECT_EQ(result.frame->axes, (std::array<std::int32_t, 3>{3, 1, 2}));
  EXPECT_EQ(json_of_density(run + Arguments{"--cell", "3,8,5"})["cell"], (json{3.0, 8.0, 5.0}));
  result = read_stored_array(directory_ / "phi.map");
  EXPECT_EQ(result.frame->cell, (std::array<float, 3>{8, 6, 10}));
  EXPECT_EQ(result.frame->intervals, (std::array<std::int32_t, 3>{4, 6, 10}));
  save_density(grid, density);
  solve({"poisson", "--in", "rho.npy", "--out", "phi.map", "--torus", "2", "--boundary",
         "dirichlet", "--cell", "3,8,10"});
  result = read_stored_array(directory_ / "phi.map");
  EXPECT_EQ(result.frame->cell, (std::array<float, 3>{10, 8, 3}));  // X is the columns
  EXPECT_EQ(result.frame->intervals, (std::array<std::int32_t, 3>{5, 4, 3}));
  expect_refusal(directory_, run + Arguments{"--cell", "1,1,1e50"}, {"--cell", "phi.map"});
}

}  // namespace
}  // namespace toroid::testing
