#include "tools/transform/piece_options.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <functional>
#include <vector>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/choice.hpp"
#include "tools/text/split.hpp"

namespace toroid {
namespace {

/// A number of planes or -1, or up to three of them with commas between.
CLI::Validator planes() {
  const CLI::Validator count = whole_number(0, std::uint64_t{1} << 31);
  const auto check = [count](std::string& text) {
    std::vector<std::string> numbers = split(text, ',');
    if (numbers.size() > 3) return std::string("more than three numbers of planes");
    for (std::string& number : numbers) {
      const std::string error = number == "-1" ? "" : count(number);
      if (!error.empty()) return error + ", nor -1";
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
          "planes per non-blocking exchange; 0: blocking, -1: the fastest, measured. F,B "
          "where the inverse has others; F,P,Q with a box cut: P forward, Q inverse")
      ->transform(planes())
      ->type_name("F[,B] or F,P,Q")
      ->default_str("0");
  verb.add_option("--window", options.window, "exchanges that may be outstanding at once")
      ->transform(whole_number(1, fft::kMostOutstanding))
      ->capture_default_str();
  verb.add_option("--test-interval", options.test_interval,
                  "lines between two looks at the network; else 1 where time is virtual, all "
                  "of a piece")
      ->transform(whole_number(1, std::uint64_t{1} << 31));
  verb.add_option("--start", options.start,
                  "when the last axis begins: after the exchange, or each line when it has come")
      ->check(one_of("start", fft::kStartNames))
      ->capture_default_str();
  verb.add_flag("--taper", options.taper, "exchanges of fewer and fewer planes at the end");
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
  return overlap;
}

}  // namespace toroid
