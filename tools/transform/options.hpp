// What the user says about a transform.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "tools/command_line/cli_fwd.hpp"
#include "tools/command_line/options.hpp"
#include "tools/io/array_io.hpp"
#include "tools/run/watch_options.hpp"

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

/// The library of this build that transforms lines unless --kernel names another.
std::string default_kernel();
void add_kernel_option(CLI::App& verb, std::string& kernel);
/// Throws BadInput if there is no such library.
fft::LibraryName library_of(const std::string& kernel);

struct FftOptions : PieceOptions {
  CommonOptions common;
  TorusOptions torus;
  WatchOptions watch;
  std::string export_to;
  std::string size;
  std::string method = "volumetric";
  std::string layer = "packets";
  std::string transform = "dft";
  std::string schedule = "+++";
  std::string stages;   ///< empty: as the slicing has them
  std::string slicing;  ///< empty: as the stages have it
  std::string precision = "double";
  std::string scale = "none";
  std::string in;
  std::string out;
  std::string in_boxes;  ///< files of boxes of what the transform takes, and of what it gives
  std::string out_boxes;
  std::string plan = "auto";
  std::string wisdom;
  std::string kernel = default_kernel();
  bool inverse = false;
  bool real = false;
  bool return_to_input = false;
  bool check = false;
  bool timings = false;
  std::int64_t batch = 1;
  double box_cut = 1;
  unsigned cores = 1;
  unsigned repeat = 1;
  unsigned loops = 0;  ///< there and back; 0: one transform

  std::int64_t planes_of_way() const { return planes_of(way(), box_cut); }
  fft::Way way() const { return inverse ? fft::Way::backward : fft::Way::forward; }
};

/// Of numbers that a box cut may be: 1 or more, and not always whole.
CLI::Validator box_cut();

void add_fft_options(CLI::App& verb, FftOptions& options);

/// --planes, --window, --test-interval, --start and --taper.
void add_piece_options(CLI::App& verb, PieceOptions& options);
/// Those of them that are given and not heeded: by another method, or, where `is_blocking`, by any.
/// Throws BadInput.
void refuse_piece_options(const CLI::App& verb, const std::string& method, bool is_blocking);
/// Throws BadInput.
fft::Overlap overlap_of(const PieceOptions& options, double box_cut, FabricName fabric);

/// Those given that the method, or a loop, does not heed. Throws BadInput.
void refuse_options_without_effect(const CLI::App& verb, const FftOptions& options);

/// Everything of the description but the array's size. Throws BadInput.
fft::Description describe(const FftOptions& options, FabricName fabric);
/// Sets the boxes that the options name, for an array of description.size. Throws BadInput.
void set_boxes(fft::Description& description, const FftOptions& options, const Shape& shape);
fft::Scale scale_of(const FftOptions& options);
/// The letters of a description's stages, first to last.
std::string stage_letters(const fft::Description& description);

/// What is to be transformed, and what the whole array's size is. Throws BadInput.
struct FftInput {
  HostArray array;
  Size size;
};
FftInput fft_input(const FftOptions& options, const Shape& shape);
/// Bytes of the arrays that exist at once: input, result, before and after each stage, reference.
double fft_bytes(const FftOptions& options, const Size& size);

}  // namespace toroid
