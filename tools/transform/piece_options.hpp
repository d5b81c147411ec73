// How the slab method overlaps, as the user says it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fft/plan/description.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/options.hpp"

namespace toroid {

/// How the slab method overlaps.
struct PieceOptions {
  std::int64_t planes = 0;
  std::optional<std::int64_t> backward_planes;  ///< of the inverse; none: as `planes`
  /// With a box cut, forward and inverse; none: as without.
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

/// --planes, --window, --test-interval, --start and --taper.
void add_piece_options(CLI::App& verb, PieceOptions& options);
/// Throws BadInput.
fft::Overlap overlap_of(const PieceOptions& options, double box_cut, FabricName fabric);

}  // namespace toroid
