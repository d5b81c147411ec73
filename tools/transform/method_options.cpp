#include "tools/transform/method_options.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "hal/check.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {

std::string default_kernel() {
  return std::string(name_of(fft::local::kLibraryNames, fft::local::default_library()));
}

void add_kernel_option(CLI::App& verb, std::string& kernel) {
  verb.add_option("--kernel", kernel, "library that computes the nodes' line transforms")
      ->check(one_of("kernel", fft::local::kLibraryNames))
      ->capture_default_str();
}

fft::LibraryName library_of(const std::string& kernel) {
  return parse_choice<fft::LibraryName>("kernel", fft::local::kLibraryNames, kernel);
}

namespace {

/// Accepts one to three numbers, separated by commas. Each is a number of planes or -1.
CLI::Validator planes() {
  const CLI::Validator count = whole_number(0, std::uint64_t{1} << 31);
  const auto check = [count](std::string& text) {
    std::vector<std::string> numbers = split(text, ',');
    if (numbers.size() > 3) return std::string("expected at most three numbers of planes");
    for (std::string& number : numbers) {
      const std::string error = number == "-1" ? "" : count(number);
      if (!error.empty()) return error + " or -1";
    }
    text = fmt::format("{}", fmt::join(numbers, ","));
    return std::string();
  };
  return {check, ""};
}

void set_planes(PieceOptions& options, const std::string& text) {
  const std::vector<std::string> numbers = split(text, ',');
  options.planes = std::stoll(numbers.front());
  options.backward_planes.reset();
  options.padded_planes.reset();
  if (numbers.size() == 2) options.backward_planes = std::stoll(numbers.back());
  if (numbers.size() == 3)
    options.padded_planes = {std::stoll(numbers[1]), std::stoll(numbers.back())};
}

}  // namespace

void add_piece_options(CLI::App& verb, PieceOptions& options) {
  verb.add_option_function<std::string>(
          "--planes", [&options](const std::string& text) { set_planes(options, text); },
          "planes per non-blocking exchange; 0: one blocking exchange, -1: measure the fastest. "
          "With F,B the inverse uses B. With F,P,Q and a box cut, forward uses P and the inverse Q")
      ->transform(planes())
      ->type_name("F[,B] or F,P,Q")
      ->default_str("0");
  verb.add_option("--window", options.window, "maximum number of outstanding exchanges")
      ->transform(whole_number(1, fft::kMostOutstanding))
      ->capture_default_str();
  verb.add_option("--test-interval", options.test_interval,
                  "lines to transform before a node handles its packets again (default: 1 in "
                  "virtual time, otherwise all lines of the planes that are exchanged together)")
      ->transform(whole_number(1, std::uint64_t{1} << 31));
  verb.add_option("--start", options.start,
                  "when to transform the last axis: after the exchange, or each line as it arrives")
      ->check(one_of("start", fft::kStartNames))
      ->capture_default_str();
  verb.add_flag("--taper", options.taper,
                "exchange fewer and fewer planes at a time towards the end");
}

fft::Overlap overlap_of(const PieceOptions& options, double box_cut, FabricName fabric) {
  const std::int64_t every_line = fabric == FabricName::sim ? 1 : 0;
  fft::Overlap overlap{
      .planes = options.planes_of(fft::Way::forward, box_cut),
      .window = options.window,
      .test_interval = options.test_interval > 0 ? options.test_interval : every_line,
      .taper = options.taper,
      .start = parse_choice<fft::Start>("start", fft::kStartNames, options.start)};
  if (options.padded_planes || options.backward_planes)
    overlap.set_planes(fft::Way::backward, options.planes_of(fft::Way::backward, box_cut));
  for (const fft::Way way : {fft::Way::forward, fft::Way::backward})
    if (overlap.planes_of(way) < 0) overlap.set_planes(way, 0);
  return overlap;
}

namespace {

constexpr std::string_view kAxisLetters = "xyz";

constexpr std::array<std::string_view, 3> kSlicings = {"x", "y", "z"};

/// The stages that the orbital report gives for each slicing.
constexpr std::array<std::string_view, 3> kStagesOfSlicings = {"zyx", "zxy", "yxz"};

/// The axes of a text such as "zxy".
std::array<unsigned, 3> axes_of(std::string_view text) {
  if (text.size() != 3 || !std::ranges::is_permutation(text, kAxisLetters))
    throw BadInput(fmt::format(
        "'{}' is not an order of stages; expected x, y and z once each, e.g. zxy", text));
  std::array<unsigned, 3> axes{};
  for (std::size_t i = 0; i < 3; ++i) axes[i] = static_cast<unsigned>(kAxisLetters.find(text[i]));
  return axes;
}

}  // namespace

void add_stage_options(CLI::App& verb, StageOptions& options) {
  verb.add_option("--schedule", options.schedule,
                  "signs of the scheduling vector (directions of the shifts), e.g. +-+")
      ->type_name("SIGNS")
      ->capture_default_str();
  verb.add_option(
          "--slicing", options.slicing,
          "axis of the last stage; the first two stages work within its slices (default: y)")
      ->check(one_of("slicing", kSlicings));
  verb.add_option("--stages", options.stages,
                  "order in which axes are transformed, the slicing axis last (default: zyx, zxy "
                  "or yxz for slicing x, y or z)")
      ->type_name("AXES")
      ->check(not_empty());
  verb.add_option("--variant", options.variant,
                  "how blocks move: cra rolls data and sums; bcr broadcasts data and rolls "
                  "coefficients (Fox); bbc broadcasts data and coefficients")
      ->check(one_of("variant", fft::kOrbitalVariantNames))
      ->capture_default_str();
}

std::array<int, 3> schedule_of(const std::string& text) {
  std::array<int, 3> signs{};
  if (text.size() != 3 || text.find_first_not_of("+-") != std::string::npos)
    throw BadInput(
        fmt::format("'{}' is not a scheduling vector; expected three signs, e.g. +-+", text));
  for (std::size_t i = 0; i < 3; ++i) signs[i] = text[i] == '+' ? 1 : -1;
  return signs;
}

// The first two stages work within slices, and the last stage works across them. So two orders of
// the stages are possible for a slicing.
std::array<unsigned, 3> stage_axes_of(const StageOptions& options) {
  if (options.slicing.empty())
    return axes_of(options.stages.empty() ? "zxy" : std::string_view(options.stages));
  const std::array<unsigned, 3> own =
      axes_of(kStagesOfSlicings[kAxisLetters.find(options.slicing)]);
  if (options.stages.empty()) return own;
  const std::array<unsigned, 3> axes = axes_of(options.stages);
  if (axes[2] != own[2]) {
    const auto letter = [&](unsigned i) { return kAxisLetters[own[i]]; };
    throw BadInput(
        fmt::format("--slicing {} makes {} the last stage: expected --stages {}{}{} or "
                    "{}{}{}, found {}",
                    options.slicing, options.slicing, letter(0), letter(1), letter(2), letter(1),
                    letter(0), letter(2), options.stages));
  }
  return axes;
}

std::string stage_letters(const fft::Description& description) {
  std::string letters;
  for (const unsigned axis : description.stage_axes) letters += kAxisLetters[axis];
  return letters;
}

}  // namespace toroid
