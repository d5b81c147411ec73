#include "tools/transform/stage_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "tools/options/option_values.hpp"
#include "tools/options/options.hpp"

namespace toroid {
namespace {

constexpr std::string_view kAxisLetters = "xyz";

constexpr std::array<std::string_view, 3> kSlicings = {"x", "y", "z"};

/// The stages that the orbital report gives for each of them.
constexpr std::array<std::string_view, 3> kStagesOfSlicings = {"zyx", "zxy", "yxz"};

/// The axes of a text such as "zxy".
std::array<unsigned, 3> axes_of(std::string_view text) {
  if (text.size() != 3 || !std::ranges::is_permutation(text, kAxisLetters))
    throw BadInput(
        fmt::format("'{}' is no order of stages; expected x, y and z, each once, as zxy", text));
  std::array<unsigned, 3> axes{};
  for (std::size_t i = 0; i < 3; ++i) axes[i] = static_cast<unsigned>(kAxisLetters.find(text[i]));
  return axes;
}

}  // namespace

void add_stage_options(CLI::App& verb, StageOptions& options) {
  verb.add_option("--schedule", options.schedule, "signs of its scheduling vector, as +-+")
      ->type_name("SIGNS")
      ->capture_default_str();
  verb.add_option("--slicing", options.slicing,
                  "the axis across whose slices the first two stages work; else y")
      ->check(one_of("slicing", kSlicings));
  verb.add_option("--stages", options.stages,
                  "axes in the order of the stages, the slicing's last; else zyx, zxy, yxz")
      ->type_name("AXES")
      ->check(not_empty());
  verb.add_option("--variant", options.variant,
                  "cra rolls data and sums; bcr broadcasts data and rolls coefficients, as "
                  "Fox's; bbc broadcasts both")
      ->check(one_of("variant", fft::kOrbitalVariantNames))
      ->capture_default_str();
}

std::array<int, 3> schedule_of(const std::string& text) {
  std::array<int, 3> signs{};
  if (text.size() != 3 || text.find_first_not_of("+-") != std::string::npos)
    throw BadInput(fmt::format("'{}' is no scheduling vector; expected three signs, as +-+", text));
  for (std::size_t i = 0; i < 3; ++i) signs[i] = text[i] == '+' ? 1 : -1;
  return signs;
}

// The last stage works across the slices of the first two, so that the slicing leaves two orders.
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
        fmt::format("slices along {} leave {} to the last stage: --stages {}{}{} or "
                    "{}{}{}, not {}",
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
