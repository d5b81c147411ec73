#include "tools/transform/options.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "fft/execute/local_array.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/layout/box.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/square_matrix.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "tools/command_line/choice.hpp"
#include "tools/command_line/option_values.hpp"
#include "tools/command_line/options.hpp"
#include "tools/command_line/split.hpp"
#include "tools/io/array_file.hpp"
#include "tools/io/array_io.hpp"
#include "tools/io/box_file.hpp"
#include "tools/io/message_export.hpp"
#include "tools/io/npy/npy.hpp"
#include "tools/run/memory.hpp"
#include "tools/run/watch_options.hpp"

namespace toroid {
namespace {

constexpr std::array<std::string_view, 2> kPrecisionNames = {"single", "double"};
constexpr std::array<std::string_view, 2> kRigorNames = {"estimate", "measure"};
constexpr std::array<std::string_view, 3> kPlanNames = {"auto", kRigorNames[0], kRigorNames[1]};

/// Options that only one method heeds.
constexpr std::array<std::pair<const char*, std::string_view>, 6> kOptionsOfOneMethod = {
    {{"--cores", "slab"},
     {"--box-cut", "slab"},
     {"--timings", "slab"},
     {"--schedule", "orbital"},
     {"--stages", "orbital"},
     {"--slicing", "orbital"}}};

/// What pieces have, without which all of it is nothing to a blocking exchange.
constexpr std::array kPieceOptions = {"--window", "--test-interval", "--start", "--taper"};

constexpr std::string_view kAxisLetters = "xyz";
constexpr std::array<std::string_view, 3> kSlicings = {"x", "y", "z"};
/// The stages that the orbital report gives for each of them.
constexpr std::array<std::string_view, 3> kStagesOfSlicings = {"zyx", "zxy", "yxz"};
constexpr std::string_view kMatrixPrefix = "matrix:";

CLI::Validator positive() {
  return whole_number(1, std::uint64_t{1} << 31);
}

/// A number of planes or -1, or up to three of them with commas between.
CLI::Validator planes() {
  CLI::Validator count = whole_number(0, std::uint64_t{1} << 31);
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

void add_array_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Input and output");
  verb.add_option("--size", options.size, "64x64x64, or 64 for a cube: seeded random input")
      ->type_name("SIZE")
      ->check(not_empty());
  verb.add_option("--in", options.in,
                  "array of 1 to 6 dimensions: .npy, .npz or .map; -: standard input")
      ->type_name("FILE")
      ->check(not_empty());
  verb.add_option("--out", options.out,
                  "result as .npy, C order: complex128, unless asked otherwise; -: standard output")
      ->type_name("FILE")
      ->check(not_empty());
  verb.add_option("--in-boxes", options.in_boxes,
                  "CSV file of the box of each node; one exchange more leads from there")
      ->type_name("FILE")
      ->check(not_empty());
  verb.add_option("--out-boxes", options.out_boxes, "likewise of the result")
      ->type_name("FILE")
      ->check(not_empty());
  verb.add_flag("--real", options.real,
                "real data: forward to the half spectrum of the last axis, inverse from it");
  verb.add_option("--precision", options.precision, "of numbers")
      ->check(one_of("precision", kPrecisionNames))
      ->capture_default_str();
  verb.add_option("--batch", options.batch, "arrays in one call; the first extent of --in")
      ->transform(positive())
      ->capture_default_str();
  verb.add_option("--scale", options.scale, "what results are multiplied by")
      ->check(one_of("scale", fft::kScaleNames))
      ->capture_default_str();
}

void add_method_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Transform");
  verb.add_option("--method", options.method, "how the transform is spread over the nodes")
      ->check(one_of("method", fft::kMethodNames))
      ->capture_default_str();
  verb.add_option("--layer", options.layer,
                  "what carries exchanges: active packets, or a collective call of message passing")
      ->check(one_of("layer", fft::kLayerNames))
      ->capture_default_str();
  verb.add_option("--transform", options.transform,
                  "of every axis; with the method orbital also one per axis, as dct,dft,wht; "
                  "matrix:FILE: by an N x N matrix")
      ->type_name("KINDS")
      ->check(suggested(fft::kTransformKindNames))
      ->capture_default_str();
  verb.add_option("--schedule", options.schedule, "orbital: signs of its scheduling vector, as +-+")
      ->type_name("SIGNS")
      ->capture_default_str();
  verb.add_option("--slicing", options.slicing,
                  "orbital: the axis across whose slices the first two stages work; else y")
      ->check(one_of("slicing", kSlicings));
  verb.add_option(
          "--stages", options.stages,
          "orbital: axes in the order of the stages, the slicing's last; else zyx, zxy, yxz")
      ->type_name("AXES")
      ->check(not_empty());
  verb.add_flag("--inverse", options.inverse, "sum with exp(+2 pi i kn/N); see --scale");
  verb.add_option("--loop", options.loops,
                  "forward and, divided by N, back again, so many times in one run")
      ->transform(whole_number(1, 1000000))
      ->type_name("TIMES");
  verb.add_flag("--return", options.return_to_input,
                "one more exchange puts the result into the input's layout");
}

void add_slab_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Method slab");
  add_piece_options(verb, options);
  verb.add_option("--box-cut", options.box_cut,
                  "slab: the spectrum's box is so many times smaller per axis, 1.5 or 2")
      ->check(box_cut())
      ->capture_default_str();
  verb.add_option("--cores", options.cores,
                  "slab on sim: cores of a node that share out its lines; one moves the packets")
      ->transform(whole_number(1, 1024))
      ->capture_default_str();
  verb.add_flag("--timings", options.timings,
                "slab: a table of blocks on 1 to all nodes, blocking beside non-blocking");
}

void add_run_options(CLI::App& verb, FftOptions& options) {
  begin_group(verb, "Run");
  add_kernel_option(verb, options.kernel);
  verb.add_option("--plan", options.plan, "of local transforms; auto: measure where time is real")
      ->check(one_of("plan", kPlanNames))
      ->capture_default_str();
  verb.add_option("--wisdom", options.wisdom, "keeps what has been measured")
      ->type_name("FILE")
      ->check(not_empty());
  verb.add_flag("--check", options.check, "compare with a serial transform on this host");
  verb.add_option("--repeat", options.repeat, "runs; the median counts where time is real")
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
}

/// The matrix of a file.
fft::AxisTransform matrix_of(const std::string& path) {
  if (path.empty())
    throw BadInput(fmt::format("--transform {0} names no file; as {0}M.npy", kMatrixPrefix));
  const NpyArray array = read_array(path);
  if (array.shape.size() != 2 || array.shape[0] != array.shape[1])
    throw BadInput(fmt::format("--transform {}{}: an array of {} is no square matrix",
                               kMatrixPrefix, path, fmt::join(array.shape, "x")));
  return std::make_shared<const fft::SquareMatrix>(path, static_cast<std::int64_t>(array.shape[0]),
                                                   array.values);
}

fft::AxisTransform transform_of(const std::string& text) {
  if (text.starts_with(kMatrixPrefix)) return matrix_of(text.substr(kMatrixPrefix.size()));
  return parse_choice<fft::TransformKind>("transform", fft::kTransformKindNames, text);
}

std::array<fft::AxisTransform, 3> kinds_of(const std::string& text) {
  std::array<fft::AxisTransform, 3> kinds{};
  std::size_t axis = 0;
  for (std::size_t begin = 0;; ++axis) {
    const std::size_t comma = text.find(',', begin);
    if (axis == 3) throw BadInput(fmt::format("'{}' names more than three transforms", text));
    kinds[axis] = transform_of(text.substr(begin, comma - begin));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  if (axis == 1) throw BadInput(fmt::format("'{}' names two transforms; one or three", text));
  if (axis == 0) kinds.fill(kinds[0]);
  return kinds;
}

std::array<int, 3> schedule_of(const std::string& text) {
  std::array<int, 3> signs{};
  if (text.size() != 3 || text.find_first_not_of("+-") != std::string::npos)
    throw BadInput(fmt::format("'{}' is no scheduling vector; expected three signs, as +-+", text));
  for (std::size_t i = 0; i < 3; ++i) signs[i] = text[i] == '+' ? 1 : -1;
  return signs;
}

/// The axes of a text such as "zxy".
std::array<unsigned, 3> axes_of(std::string_view text) {
  if (text.size() != 3 || !std::ranges::is_permutation(text, kAxisLetters))
    throw BadInput(
        fmt::format("'{}' is no order of stages; expected x, y and z, each once, as zxy", text));
  std::array<unsigned, 3> axes{};
  for (std::size_t i = 0; i < 3; ++i) axes[i] = static_cast<unsigned>(kAxisLetters.find(text[i]));
  return axes;
}

/// The last stage works across the slices of the first two, so that the slicing leaves two orders.
std::array<unsigned, 3> stage_axes_of(const FftOptions& options) {
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

fft::Rigor rigor_of(const FftOptions& options, bool is_virtual) {
  if (options.plan == "auto") return is_virtual ? fft::Rigor::estimate : fft::Rigor::measure;
  return parse_choice<fft::Rigor>("plan", kRigorNames, options.plan);
}

/// The orbital transforms of real data are real.
bool keeps_half(const FftOptions& options) {
  return options.real && options.method != "orbital";
}

bool takes_real(const FftOptions& options) {
  return options.real && !(options.inverse && keeps_half(options));
}

void check_memory_for(const FftOptions& options, const Shape& shape, const Size& size) {
  check_memory(shape, fft_bytes(options, size));
}

/// The size of the spectrum that `inverse` takes.
Size spectrum_size(const FftOptions& options, Size size) {
  for (std::int64_t& n : size) n = std::max<std::int64_t>(1, fft::kept_of(n, options.box_cut));
  if (keeps_half(options)) size.back() = size.back() / 2 + 1;
  return size;
}

/// The least axis of which a box cut keeps m points.
std::int64_t least_whole(std::int64_t m, double box_cut) {
  const double about = std::floor(static_cast<double>(m) * box_cut);
  std::int64_t n = std::max(m, static_cast<std::int64_t>(about) - 1);
  while (fft::kept_of(n, box_cut) < m) ++n;
  return n;
}

/// The size of the whole array, from the size of the one that was read: the least that fits.
Size whole_size(const FftOptions& options, const Size& read) {
  if (!options.inverse) return read;
  Size size = read;
  if (keeps_half(options)) size.back() = std::max<std::int64_t>(1, 2 * (size.back() - 1));
  for (std::int64_t& n : size) n = least_whole(n, options.box_cut);
  return size;
}

/// Random numbers; of the half spectrum of real data one that belongs to real data.
HostArray random_input(const FftOptions& options, const Size& size) {
  if (!options.inverse || takes_real(options))
    return random_array(size, options.batch, options.real, options.common.seed);
  const Size of_spectrum = spectrum_size(options, size);
  HostArray spectrum = random_array(of_spectrum, options.batch, false, options.common.seed);
  if (!options.real) return spectrum;
  const HostArray array = random_array(size, options.batch, true, options.common.seed);
  std::vector<double> real(array.volume());
  for (std::size_t b = 0; b < static_cast<std::size_t>(options.batch); ++b) {
    for (std::size_t i = 0; i < real.size(); ++i)
      real[i] = array.values[b * real.size() + i].real();
    fft::local::serial_reference(
        size, std::span<const double>(real),
        std::span(spectrum.values).subspan(b * spectrum.volume(), spectrum.volume()));
  }
  return spectrum;
}

void check_fits(const FftOptions& options, const Size& size, const HostArray& array) {
  const Size expected = options.inverse ? spectrum_size(options, size) : size;
  if (expected == array.size) return;
  const std::string spectrum =
      expected == size ? "" : fmt::format(", whose spectrum is {},", fmt::join(expected, "x"));
  throw BadInput(fmt::format("--size {}{} does not fit {}, which is {}", fmt::join(size, "x"),
                             spectrum, input_name(options.in), fmt::join(array.size, "x")));
}

/// Throws BadInput for the first element of --in that is not as it must be.
template <typename IsGood>
void check_elements(const FftOptions& options, const HostArray& array, const IsGood& is_good,
                    std::string_view fault) {
  const auto found = std::ranges::find_if_not(array.values, is_good);
  if (found != array.values.end())
    throw BadInput(fmt::format("{}: element {} in C order {}", input_name(options.in),
                               std::distance(array.values.begin(), found), fault));
}

void check_values(const FftOptions& options, const HostArray& array) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const auto is_real = [](const fft::Complex& value) { return value.imag() == 0; };
  const auto is_single = [](const fft::Complex& value) {
    return std::abs(value.real()) <= kMost && std::abs(value.imag()) <= kMost;
  };
  if (takes_real(options))
    check_elements(options, array, is_real, "is not real, as --real takes them");
  if (options.precision == "single")
    check_elements(options, array, is_single, "is too large for single precision");
}

/// What KissFFT, which measures nothing, and the orbital method, which transforms no lines, do not
/// heed. Wisdom keeps measured planes too.
void refuse_kernel_options_without_effect(const CLI::App& verb, const FftOptions& options) {
  if (options.method == "orbital" && verb.count("--kernel") > 0)
    throw BadInput("--kernel is nothing to --method orbital, which multiplies matrices");
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
  if (verb.count("--loop") == 0) return;
  for (const char* option : {"--inverse", "--scale", "--box-cut", "--timings"})
    if (verb.count(option) > 0)
      throw BadInput(fmt::format("{} is nothing to a --loop, which goes there and back", option));
  if (options.backward_planes.value_or(options.planes) < 0)
    throw BadInput("--planes -1 is not measured for the way back of a --loop; give it a number");
}

/// --timings runs parts of the machine, and beside the blocking exchange one of planes.
void refuse_beside_timings(const CLI::App& verb, const FftOptions& options) {
  if (!options.timings) return;
  for (const char* option : {"--in-boxes", "--out-boxes"})
    if (verb.count(option) > 0)
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

std::string default_kernel() {
  return std::string(name_of(fft::local::kLibraryNames, fft::local::default_library()));
}

void add_kernel_option(CLI::App& verb, std::string& kernel) {
  verb.add_option("--kernel", kernel, "whose line transforms the nodes compute")
      ->check(one_of("kernel", fft::local::kLibraryNames))
      ->capture_default_str();
}

fft::LibraryName library_of(const std::string& kernel) {
  return parse_choice<fft::LibraryName>("kernel", fft::local::kLibraryNames, kernel);
}

CLI::Validator box_cut() {
  const auto check = [](const std::string& text) {
    double cut = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cut);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (is_number && cut >= 1 && cut <= std::ldexp(1.0, 31)) return std::string();
    return fmt::format("'{}' is no box cut; expected a number of 1 or more", shortened(text));
  };
  return {check, ""};
}

void add_piece_options(CLI::App& verb, PieceOptions& options) {
  verb.add_option_function<std::string>(
          "--planes", [&options](const std::string& text) { set_planes(options, text); },
          "slab: planes per non-blocking exchange; 0: blocking, -1: the fastest, measured. F,B "
          "where the inverse has others; F,P,Q with a box cut: P forward, Q inverse")
      ->transform(planes())
      ->type_name("F[,B] or F,P,Q")
      ->default_str("0");
  verb.add_option("--window", options.window, "slab: exchanges that may be outstanding at once")
      ->transform(whole_number(1, fft::kMostOutstanding))
      ->capture_default_str();
  verb.add_option("--test-interval", options.test_interval,
                  "slab: lines between two looks at the network; else 1 where time is virtual, all "
                  "of a piece")
      ->transform(positive());
  verb.add_option(
          "--start", options.start,
          "slab: when the last axis begins: after the exchange, or each line when it has come")
      ->check(one_of("start", fft::kStartNames))
      ->capture_default_str();
  verb.add_flag("--taper", options.taper, "slab: exchanges of fewer and fewer planes at the end");
}

void refuse_piece_options(const CLI::App& verb, const std::string& method, bool is_blocking) {
  if (method != "slab" && verb.count("--planes") > 0)
    throw BadInput("--planes is for --method slab");
  for (const char* option : kPieceOptions) {
    if (verb.count(option) == 0) continue;
    if (method != "slab") throw BadInput(fmt::format("{} is for --method slab", option));
    if (is_blocking)
      throw BadInput(
          fmt::format("{} is nothing to a blocking exchange; give --planes too", option));
  }
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

void add_fft_options(CLI::App& verb, FftOptions& options) {
  add_torus_options(verb, options.torus);
  add_array_options(verb, options);
  add_method_options(verb, options);
  add_slab_options(verb, options);
  add_run_options(verb, options);
  add_watch_options(verb, options.watch);
  add_export_option(verb, options.export_to);
  add_common_options(verb, options.common);
  add_examples(verb, {{"64^3 random numbers on 64 nodes, in virtual time",
                       "toroid fft --size 64 --torus 4x4x4"},
                      {"checked against a serial transform, in wall-clock time",
                       "toroid fft --size 64 --torus 2x2x2 --fabric shm --check"},
                      {"from a file of NumPy's to another",
                       "toroid fft --in density.npy --torus 2x2x2 --out spectrum.npy"},
                      {"by planes that overlap with computing",
                       "toroid fft --size 32 --torus 4x2 --method slab --planes 2"},
                      {"a cosine transform by the orbital method",
                       "toroid fft --size 32 --torus 4x4x4 --method orbital --transform dct"}});
}

void refuse_options_without_effect(const CLI::App& verb, const FftOptions& options) {
  (void)parse_choice<fft::Method>("method", fft::kMethodNames, options.method);
  for (const auto& [option, method] : kOptionsOfOneMethod)
    if (options.method != method && verb.count(option) > 0)
      throw BadInput(fmt::format("{} is for --method {}", option, method));
  if (options.box_cut != 1 && options.real) throw BadInput("a box cut takes complex data");
  refuse_beside_loop(verb, options);
  refuse_beside_timings(verb, options);
  if (options.return_to_input && verb.count("--out-boxes") > 0)
    throw BadInput("--return has no effect with --out-boxes");
  refuse_kernel_options_without_effect(verb, options);
  if (options.common.fabric != "sim" && verb.count("--cores") > 0)
    throw BadInput(fmt::format("--cores has no effect on --fabric {}", options.common.fabric));
  refuse_piece_options(verb, options.method, all_blocking(options));
  if (options.padded_planes && options.box_cut == 1)
    throw BadInput("--planes F,P,Q has no effect without --box-cut; give --planes F[,B]");
}

fft::Description describe(const FftOptions& options, FabricName fabric) {
  const bool is_virtual = fabric == FabricName::sim;
  fft::Description description;
  description.method = parse_choice<fft::Method>("method", fft::kMethodNames, options.method);
  description.layer = parse_choice<fft::Layer>("layer", fft::kLayerNames, options.layer);
  description.kinds = kinds_of(options.transform);
  description.scheduling = schedule_of(options.schedule);
  description.stage_axes = stage_axes_of(options);
  description.precision =
      parse_choice<fft::Precision>("precision", kPrecisionNames, options.precision);
  description.real = options.real;
  description.batch = options.batch;
  description.return_to_input = options.return_to_input;
  description.box_cut = options.box_cut;
  description.cores = options.cores;
  description.overlap = overlap_of(options, options.box_cut, fabric);
  description.rigor = rigor_of(options, is_virtual);
  description.library = library_of(options.kernel);
  // Whoever does not ask for speed gets equal bits on every fabric.
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

std::string stage_letters(const fft::Description& description) {
  std::string letters;
  for (const unsigned axis : description.stage_axes) letters += kAxisLetters[axis];
  return letters;
}

fft::Scale scale_of(const FftOptions& options) {
  if (options.loops > 0) return fft::Scale::by_n;
  return parse_choice<fft::Scale>("scale", fft::kScaleNames, options.scale);
}

double fft_bytes(const FftOptions& options, const Size& size) {
  const unsigned packed = options.layer == fft::kLayerNames[0] ? 0u : 2u;
  const unsigned kept = options.loops > 0 ? 1u : 0u;
  const unsigned arrays =
      6u + packed + kept + unsigned{options.return_to_input} + unsigned{options.check};
  double bytes =
      static_cast<double>(sizeof(fft::Complex) * arrays) * static_cast<double>(options.batch);
  for (const std::int64_t n : size) bytes *= static_cast<double>(n);
  return bytes;
}

FftInput fft_input(const FftOptions& options, const Shape& shape) {
  if (options.in.empty() && options.size.empty())
    throw BadInput("nothing to transform; give --in FILE or --size 64x64x64");
  if (options.in.empty()) {
    const Size size = parse_size(options.size);
    check_memory_for(options, shape, size);
    return {random_input(options, size), size};
  }
  HostArray array = load_array(options.in, options.batch);
  const Size size =
      options.size.empty() ? whole_size(options, array.size) : parse_size(options.size);
  check_fits(options, size, array);
  check_values(options, array);
  check_memory_for(options, shape, size);
  return {std::move(array), size};
}

}  // namespace toroid
