#include "tools/transform/without_effect.hpp"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "fft/plan/description.hpp"
#include "hal/check.hpp"
#include "tools/command_line/choice.hpp"
#include "tools/command_line/option.hpp"
#include "tools/transform/kernel_option.hpp"
#include "tools/transform/kinds_text.hpp"
#include "tools/transform/piece_options.hpp"

namespace toroid {
namespace {

/// Options that only one method heeds.
constexpr std::array<std::pair<const char*, std::string_view>, 7> kOptionsOfOneMethod = {
    {{"--cores", "slab"},
     {"--box-cut", "slab"},
     {"--timings", "slab"},
     {"--schedule", "orbital"},
     {"--stages", "orbital"},
     {"--slicing", "orbital"},
     {"--variant", "orbital"}}};

/// What KissFFT, which measures nothing, and the orbital method by matrices, which transforms no
/// lines, do not heed. Wisdom keeps measured planes too.
void refuse_kernel_options_without_effect(const CLI::App& verb, const FftOptions& options) {
  if (!transforms_lines(options.transform)) {
    refuse_kernel_without_effect(verb, options.method);
    if (options.method == "orbital" && (options.plan == kRigorNames[1] || !options.wisdom.empty()))
      throw BadInput(
          "--plan measure and --wisdom are nothing to --method orbital, which multiplies matrices");
  }
  if (library_of(options.kernel) != fft::LibraryName::kissfft) return;
  if (options.plan == kRigorNames[1])
    throw BadInput("--plan measure is nothing to --kernel kissfft, which measures nothing");
  if (!options.wisdom.empty() && options.planes_of_way() >= 0 && !options.timings)
    throw BadInput(
        "--wisdom is nothing to --kernel kissfft, which measures nothing; with --planes -1 it "
        "would keep planes");
}

/// A loop begins forward, is scaled so that it comes back to its input, and is one measurement.
/// Planes are tuned in the direction of its beginning only.
void refuse_beside_loop(const CLI::App& verb, const FftOptions& options) {
  if (!is_given(verb, "--loop")) return;
  for (const char* option : {"--inverse", "--scale", "--box-cut", "--timings"})
    if (is_given(verb, option))
      throw BadInput(fmt::format("{} is nothing to a --loop, which goes there and back", option));
  if (options.backward_planes.value_or(options.planes) < 0)
    throw BadInput("--planes -1 is not measured for the way back of a --loop; give it a number");
}

/// --timings runs parts of the machine, and beside the blocking exchange one of planes.
void refuse_beside_timings(const CLI::App& verb, const FftOptions& options) {
  if (!options.timings) return;
  for (const char* option : {"--in-boxes", "--out-boxes"})
    if (is_given(verb, option))
      throw BadInput(fmt::format("{} is for one machine; --timings runs parts of it too", option));
  if (options.layer == fft::kLayerNames[1])
    throw BadInput("--timings compares planes; --layer mpi is blocking");
}

/// Whether no direction that runs goes in pieces.
bool all_blocking(const FftOptions& options) {
  const bool comes_back = options.loops > 0;
  return !options.timings && options.planes_of_way() == 0 &&
         (!comes_back || options.planes_of(fft::Way::backward, options.box_cut) == 0);
}

}  // namespace

void refuse_options_without_effect(const CLI::App& verb, const FftOptions& options) {
  (void)parse_choice<fft::Method>("method", fft::kMethodNames, options.method);
  for (const auto& [option, method] : kOptionsOfOneMethod)
    if (options.method != method && is_given(verb, option))
      throw BadInput(fmt::format("{} is for --method {}", option, method));
  if (options.variant != fft::kOrbitalVariantNames[0]) {
    if (is_given(verb, "--schedule"))
      throw BadInput("--schedule is for --variant cra: broadcasts are not scheduled");
    if (options.return_to_input)
      throw BadInput(
          "--return is for --variant cra: by broadcasts results stay where the input was");
  }
  if (options.box_cut != 1 && options.real) throw BadInput("a box cut takes complex data");
  refuse_beside_loop(verb, options);
  refuse_beside_timings(verb, options);
  if (options.return_to_input && is_given(verb, "--out-boxes"))
    throw BadInput("--return has no effect with --out-boxes");
  refuse_kernel_options_without_effect(verb, options);
  if (options.common.fabric != "sim" && is_given(verb, "--cores"))
    throw BadInput(fmt::format("--cores has no effect on --fabric {}", options.common.fabric));
  refuse_piece_options(verb, options.method, all_blocking(options));
  if (options.padded_planes && options.box_cut == 1)
    throw BadInput("--planes F,P,Q has no effect without --box-cut; give --planes F[,B]");
}

}  // namespace toroid
