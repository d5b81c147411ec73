// The order of the orbital transform's stages and how its blocks travel.
#pragma once

#include <array>
#include <string>

#include "fft/plan/description.hpp"
#include "tools/options/cli_fwd.hpp"

namespace toroid {

struct StageOptions {
  std::string schedule = "+++";
  std::string stages;   ///< empty: as the slicing has them
  std::string slicing;  ///< empty: as the stages have it
  std::string variant = "cra";
};

/// --schedule, --slicing, --stages and --variant.
void add_stage_options(CLI::App& verb, StageOptions& options);
/// The signs of the scheduling vector. Throws BadInput.
std::array<int, 3> schedule_of(const std::string& text);
/// Axes, first stage to last. Throws BadInput where slicing and stages contradict each other.
std::array<unsigned, 3> stage_axes_of(const StageOptions& options);
/// The letters of a description's stages, first to last.
std::string stage_letters(const fft::Description& description);

}  // namespace toroid
