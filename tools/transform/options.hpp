// Options of a transform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fft/plan/description.hpp"
#include "hal/shape.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/record_and_trace.hpp"
#include "tools/transform/array_options.hpp"
#include "tools/transform/method_options.hpp"

namespace toroid {

struct FftOptions : ArrayOptions, PieceOptions, StageOptions {
  CommonOptions common;
  TorusOptions torus;
  ObservationOptions observation;
  std::string export_to;
  std::string method = "volumetric";
  bool has_method = false;  ///< --method was given
  std::string layer = "packets";
  std::string transform = "dft";
  std::string precision = "double";
  std::string scale = "none";
  std::string norm = "paper";
  std::string in_boxes;  ///< box file of the transform's input
  std::string out_boxes;
  std::string plan = "auto";
  std::string wisdom;
  std::string kernel = default_kernel();
  bool inverse = false;
  bool real = false;
  bool return_to_input = false;
  bool timings = false;
  std::int64_t batch = 1;
  bool has_batch = false;  ///< --batch was given
  double box_cut = 1;
  unsigned cores = 1;
  unsigned loops = 0;  ///< number of round trips; 0 if there is a single transform

  std::int64_t planes_of_way() const { return planes_of(way(), box_cut); }
  fft::Way way() const { return inverse ? fft::Way::backward : fft::Way::forward; }
};

/// Accepts a box cut: a number of 1 or more, not necessarily whole.
CLI::Validator box_cut();

void add_fft_options(CLI::App& verb, FftOptions& options);
/// Chooses the method `rows` for an array of one or two axes if the user has chosen none.
void choose_method(FftOptions& options, std::size_t axes);
fft::Method method_of(const FftOptions& options);
/// Throws BadInput if options contradict each other.
void check_fft_options(const FftOptions& options);
/// Whether the exchanges of every direction that runs are blocking, i.e. not cut into pieces.
bool all_blocking(const FftOptions& options);

/// The description of the transform, complete except for the size of the array. Throws BadInput.
fft::Description describe(const FftOptions& options, FabricName fabric);
/// Adds the boxes from the files that the options name, for an array of size description.size.
/// Throws BadInput.
void set_boxes(fft::Description& description, const FftOptions& options, const Shape& shape);
fft::Scale scale_of(const FftOptions& options);

}  // namespace toroid
