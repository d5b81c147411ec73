// What the user says about a transform.
#pragma once

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

struct FftOptions {
  CommonOptions common;
  TorusOptions torus;
  WatchOptions watch;
  std::string export_to;
  std::string size;
  std::string method = "volumetric";
  std::string transform = "dft";
  std::string schedule = "+++";
  std::string stages;   ///< empty: as the slicing has them
  std::string slicing;  ///< empty: as the stages have it
  std::string precision = "double";
  std::string scale = "none";
  std::string in;
  std::string out;
  std::string plan = "auto";
  std::string wisdom;
  bool inverse = false;
  bool real = false;
  bool return_to_input = false;
  bool check = false;
  bool timings = false;
  std::int64_t batch = 1;
  std::int64_t box_cut = 1;
  std::int64_t planes = 0;
  std::optional<std::int64_t> backward_planes;  ///< of the inverse; none: as `planes`
  std::uint32_t window = fft::Overlap::kWindow;
  std::int64_t test_interval = 0;
  unsigned repeat = 1;
  unsigned loops = 0;  ///< there and back; 0: one transform

  std::int64_t planes_of_way() const { return inverse ? backward_planes.value_or(planes) : planes; }
  fft::Way way() const { return inverse ? fft::Way::backward : fft::Way::forward; }
};

void add_fft_options(CLI::App& verb, FftOptions& options);

/// Those given that the method, or a loop, does not heed. Throws BadInput.
void refuse_options_without_effect(const CLI::App& verb, const FftOptions& options);

/// Everything of the description but the array's size. Throws BadInput.
fft::Description describe(const FftOptions& options, FabricName fabric);
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
