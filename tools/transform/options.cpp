#include "tools/transform/options.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/files/box_file.hpp"
#include "tools/files/host_array.hpp"
#include "tools/options/option_values.hpp"
#include "tools/run/message_export.hpp"
#include "tools/text/spelling.hpp"
#include "tools/transform/kinds_text.hpp"

namespace toroid {
namespace {

using fft::local::kPrecisionNames;
using fft::local::kRigorNames;
constexpr std::array<std::string_view, 3> kPlanNames = {"auto", kRigorNames[0], kRigorNames[1]};

void add_data_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Input and output");
  add_array_options(verb, options,
                    {.size = "64x64x64, 64 for a cube, or 64x for one axis; without --in, random "
                             "numbers",
                     .out = "result as .npy in C order, complex128 by default, or as a map if it "
                            "is named .map, .mrc or .ccp4; -: standard output"});
  add_file_option(verb, "--in-boxes", options.in_boxes,
                  "CSV with each node's box of the input; adds an exchange");
  add_file_option(verb, "--out-boxes", options.out_boxes, "CSV with each node's box of the result");
  verb.add_flag(
      "--real", options.real,
      "real data: the dft gives the half spectrum of the last axis, its inverse takes it; "
      "dct, dst, dht and wht give real numbers");
  verb.add_option("--precision", options.precision, "precision of the numbers")
      ->check(one_of("precision", kPrecisionNames))
      ->capture_default_str();
  verb.add_option("--batch", options.batch,
                  "arrays per call; they lie along the first axis of --in")
      ->transform(whole_number(1, std::uint64_t{1} << 31))
      ->each([&options](const std::string&) { options.has_batch = true; })
      ->capture_default_str();
  verb.add_option("--scale", options.scale, "factor that multiplies the results")
      ->check(one_of("scale", fft::kScaleNames))
      ->capture_default_str();
  verb.add_option(
          "--norm", options.norm,
          "scale of both directions as numpy and scipy name it; paper: no scale but --scale")
      ->check(one_of("norm", fft::kNormNames))
      ->capture_default_str();
}

void add_method_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Transform");
  verb.add_option(
          "--method", options.method,
          "how the transform is distributed over the nodes; rows by default for 1 or 2 axes")
      ->check(one_of("method", fft::kMethodNames))
      ->each([&options](const std::string&) { options.has_method = true; })
      ->capture_default_str();
  verb.add_option(
          "--layer", options.layer,
          "how exchanges are made: by active packets, or by a collective call of message passing")
      ->check(one_of("layer", fft::kLayerNames))
      ->capture_default_str();
  verb.add_option(
          "--transform", options.transform,
          "transform of every axis, or one per axis: dct,dft,wht. dct, dst: type II, the inverse "
          "type III, half of scipy's per axis; dht: cos minus sin. Method orbital also has fft: "
          "the dft by factors, about N/P times less work for N points on P nodes; matrix:FILE: "
          "multiply by the N x N matrix in the file")
      ->type_name("KINDS")
      ->check(suggested(fft::kTransformKindNames))
      ->capture_default_str();
  add_stage_options(verb, options);
  verb.add_flag("--inverse", options.inverse, "inverse: sum with exp(+2 pi i kn/N); see --norm");
  verb.add_option("--loop", options.loops,
                  "repeat forward + inverse, divided by N, this many times in one run")
      ->transform(whole_number(1, 1000000))
      ->type_name("TIMES");
  verb.add_flag("--return", options.return_to_input,
                "return the result in the input's layout; adds an exchange");
}

void add_slab_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Method slab");
  add_piece_options(verb, options);
  verb.add_option("--box-cut", options.box_cut,
                  "factor by which each axis of the spectrum is cut: 2 keeps the lower half")
      ->check(box_cut())
      ->capture_default_str();
  verb.add_option("--cores", options.cores,
                  "cores per node that share its lines; one of them moves the packets")
      ->transform(whole_number(1, 1024))
      ->capture_default_str();
  verb.add_flag("--timings", options.timings,
                "add a table of blocking and non-blocking times on all nodes, half of them, and so "
                "on to one");
}

void add_plan_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Run");
  add_kernel_option(verb, options.kernel);
  verb.add_option(
          "--plan", options.plan,
          "how local transforms are planned; auto: measure on wall-clock fabrics, estimate on sim")
      ->check(one_of("plan", kPlanNames))
      ->capture_default_str();
  add_file_option(verb, "--wisdom", options.wisdom, "file that keeps measurements for later runs");
  add_run_options(verb, options, "compare with a serial transform on this host");
}

fft::Rigor rigor_of(const FftOptions& options, bool is_virtual) {
  if (options.plan == "auto") return is_virtual ? fft::Rigor::estimate : fft::Rigor::measure;
  return parse_choice<fft::Rigor>("plan", kRigorNames, options.plan);
}

}  // namespace

CLI::Validator box_cut() {
  const auto check = [](const std::string& text) {
    const auto cut = parse_number<double>(text);
    if (cut && *cut >= 1 && *cut <= std::ldexp(1.0, 31)) return std::string();
    return fmt::format("'{}' is not a box cut; expected a number of 1 or more", shortened(text));
  };
  return {check, ""};
}

void add_fft_options(CLI::App& verb, FftOptions& options) {
  add_torus_options(verb, options.torus);
  add_data_options(verb, options);
  add_method_options(verb, options);
  add_slab_options(verb, options);
  add_plan_options(verb, options);
  add_observation_options(verb, options.observation);
  add_export_option(verb, options.export_to);
  add_common_options(verb, options.common);
  add_examples(verb, {{"64^3 random numbers on 64 nodes, in virtual time",
                       "toroid fft --size 64 --torus 4x4x4"},
                      {"checked against a serial transform, in wall-clock time",
                       "toroid fft --size 64 --torus 2x2x2 --fabric shm --check"},
                      {"from one NumPy file to another",
                       "toroid fft --in density.npy --torus 2x2x2 --out spectrum.npy"},
                      {"planes whose exchange overlaps with computing",
                       "toroid fft --size 32 --torus 4x2 --method slab --planes 2"},
                      {"a cosine transform by the orbital method",
                       "toroid fft --size 32 --torus 4x4x4 --method orbital --transform dct"}});
}

void choose_method(FftOptions& options, std::size_t axes) {
  if (!options.has_method && axes < 3) options.method = "rows";
}

fft::Method method_of(const FftOptions& options) {
  return parse_choice<fft::Method>("method", fft::kMethodNames, options.method);
}

void check_fft_options(const FftOptions& options) {
  if (options.box_cut != 1 && options.real)
    throw BadInput("--box-cut needs complex data; omit --real");
  if (options.padded_planes && options.box_cut == 1)
    throw BadInput("--planes F,P,Q has no effect without --box-cut; give --planes F[,B]");
  // Tuning covers only the direction with which a loop begins.
  if (options.loops > 0 && options.backward_planes.value_or(options.planes) < 0)
    throw BadInput(
        "--planes -1 cannot measure the inverse of a --loop; set its planes, e.g. --planes -1,2");
}

bool all_blocking(const FftOptions& options) {
  const bool comes_back = options.loops > 0;
  return !options.timings && options.planes_of_way() == 0 &&
         (!comes_back || options.planes_of(fft::Way::backward, options.box_cut) == 0);
}

fft::Description describe(const FftOptions& options, FabricName fabric) {
  const bool is_virtual = fabric == FabricName::sim;
  fft::Description description;
  description.method = method_of(options);
  description.layer = parse_choice<fft::Layer>("layer", fft::kLayerNames, options.layer);
  std::ranges::copy(kinds_of(options.transform), description.kinds.begin());
  description.scheduling = schedule_of(options.schedule);
  description.stage_axes = stage_axes_of(options);
  description.variant =
      parse_choice<fft::OrbitalVariant>("variant", fft::kOrbitalVariantNames, options.variant);
  description.precision =
      parse_choice<fft::Precision>("precision", kPrecisionNames, options.precision);
  description.real = options.real;
  description.norm = parse_choice<fft::Norm>("norm", fft::kNormNames, options.norm);
  description.batch = options.batch;
  description.return_to_input = options.return_to_input;
  description.box_cut = options.box_cut;
  description.cores = options.cores;
  description.overlap = overlap_of(options, options.box_cut, fabric);
  description.rigor = rigor_of(options, is_virtual);
  description.library = library_of(options.kernel);
  // Unless local transforms are measured, results have equal bits on every fabric.
  description.may_leave_gaps = description.rigor == fft::Rigor::measure;
  description.first = options.way();
  return description;
}

void set_boxes(fft::Description& description, const FftOptions& options, const Shape& shape) {
  const auto boxes = [&](const std::string& path, const fft::Index& extents) {
    const Size size(extents.begin(), extents.begin() + std::ssize(description.size));
    return path.empty() ? std::vector<fft::Box>() : read_boxes(path, size, shape.size());
  };
  const auto& [of_in, of_out] = options.inverse ? std::tie(options.out_boxes, options.in_boxes)
                                                : std::tie(options.in_boxes, options.out_boxes);
  description.in_boxes = boxes(of_in, fft::in_extents(description));
  description.out_boxes = boxes(of_out, fft::out_extents(description));
}

fft::Scale scale_of(const FftOptions& options) {
  if (options.norm != fft::kNormNames[0]) return fft::Scale::none;
  if (options.loops > 0) return fft::Scale::by_n;
  return parse_choice<fft::Scale>("scale", fft::kScaleNames, options.scale);
}

}  // namespace toroid
