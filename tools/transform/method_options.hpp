// Options of single methods: overlap of the slab method, stages of the orbital method, library of
// line transforms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fft/plan/description.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"

namespace toroid {

/// The library of this build that transforms lines unless --kernel names another.
std::string default_kernel();
void add_kernel_option(CLI::App& verb, std::string& kernel);
/// Throws BadInput if this build lacks the library.
fft::LibraryName library_of(const std::string& kernel);

/// How exchanges of the slab method overlap with transforms.
struct PieceOptions {
  std::int64_t planes = 0;
  std::optional<std::int64_t> backward_planes;  ///< for the inverse; empty if as `planes`
  /// For forward and inverse with a box cut; empty if the same as without a box cut.
  std::optional<std::array<std::int64_t, 2>> padded_planes;
  std::uint32_t window = fft::Overlap::kWindow;
  std::int64_t test_interval = 0;
  std::string start{fft::kStartNames[0]};
  bool taper = false;

  std::int64_t planes_of(fft::Way way, double box_cut) const {
    if (padded_planes && box_cut != 1) return (*padded_planes)[static_cast<std::size_t>(way)];
    return way == fft::Way::backward ? backward_planes.value_or(planes) : planes;
  }
};

/// Adds --planes, --window, --test-interval, --start and --taper.
void add_piece_options(CLI::App& verb, PieceOptions& options);
/// Numbers of planes that are yet to be measured (-1) are 0. Throws BadInput.
fft::Overlap overlap_of(const PieceOptions& options, double box_cut, FabricName fabric);

struct StageOptions {
  std::string schedule = "+++";
  std::string stages;   ///< empty if the default of the slicing
  std::string slicing;  ///< empty if it follows from the stages
  std::string variant = "cra";
};

/// Adds --schedule, --slicing, --stages and --variant.
void add_stage_options(CLI::App& verb, StageOptions& options);
/// Parses the signs of the scheduling vector. Throws BadInput.
std::array<int, 3> schedule_of(const std::string& text);
/// The axes of the stages, from first to last. Throws BadInput if slicing and stages contradict
/// each other.
std::array<unsigned, 3> stage_axes_of(const StageOptions& options);
/// The axes of a description's stages as letters, from first to last.
std::string stage_letters(const fft::Description& description);

}  // namespace toroid
