#include "tools/transform/outputs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <ranges>
#include <span>
#include <vector>

#include "fft/layout/local_array.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "hal/check.hpp"
#include "tools/files/array_file.hpp"
#include "tools/files/map_writer.hpp"
#include "tools/files/npy_elements.hpp"
#include "tools/files/output_format.hpp"
#include "tools/report/array_slices.hpp"
#include "tools/report/slice.hpp"
#include "tools/run/interruption.hpp"

namespace toroid {
namespace {

/// The kinds of transform along the axes of the spectrum.
SpectrumOrder order_of(const fft::Description& description) {
  SpectrumOrder order;
  for (std::size_t a = 0; a < description.size.size(); ++a)
    order.kinds.push_back(description.kinds[a].kind);
  if (fft::keeps_half(description))
    order.half_of = fft::kept_of(description.size.back(), description.box_cut);
  return order;
}

}  // namespace

Json slices_json(const TransformJob& job, const HostArray& input, const HostArray& result) {
  const bool is_forward = job.way == fft::Way::forward;
  const HostArray& density = is_forward ? input : result;
  const HostArray& spectrum = is_forward ? result : input;
  Json slices = Json::array();
  for (const Slice& slice : density_slices(density)) slices.push_back(slice.to_json());
  if (job.loops > 0) return slices;  // the result is the density again
  for (const Slice& slice : spectrum_slices(spectrum, order_of(job.blueprint->description())))
    slices.push_back(slice.to_json());
  return slices;
}

namespace {

std::string without_stream(const std::string& path) {
  return path == kStandardStream ? "" : path;
}

void refuse_clashes(const OutputPaths& paths) {
  if (paths.out == kStandardStream && paths.json == kStandardStream)
    throw BadInput("--json - and --out - would mix in standard output; give one of them a file");
  const std::array outputs = {without_stream(paths.out),
                              without_stream(paths.json),
                              paths.wisdom,
                              paths.observation.record,
                              paths.observation.trace,
                              paths.observation.report,
                              paths.observation.csv,
                              paths.export_to};
  refuse_one_file_for_two(outputs);
  for (const std::string& input : paths.boxes)
    for (const std::string& output : outputs) refuse_one_file_for_two(std::array{input, output});
  // --out may replace --in, but not an archive of which --in is one array.
  const ArrayPlace in = place_of(paths.in);
  for (const std::string& output : outputs | std::views::drop(in.array.empty() ? 1 : 0))
    refuse_one_file_for_two(std::array{without_stream(in.file), output});
}

std::unique_ptr<OutputFile> open(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

std::unique_ptr<OutputFile> open_array(const std::string& path) {
  if (path != kStandardStream) return open(path);
  return std::make_unique<OutputFile>(OutputFile::StandardOutput());
}

}  // namespace

TransformOutputs::TransformOutputs(const OutputPaths& paths, bool reports) : paths(paths) {
  if (!reports) return;
  refuse_clashes(paths);
  array = open_array(paths.out);
  wisdom = open(paths.wisdom);
}

RunFiles TransformOutputs::beside() const {
  return {.observation = paths.observation,
          .export_to = paths.export_to,
          .array_to_standard_output = paths.out == kStandardStream};
}

namespace {

float narrowed(double number, std::size_t element) {
  const auto narrow = static_cast<float>(number);
  if (std::isinf(narrow) && !std::isinf(number))
    throw RunFailed(
        fmt::format("element {} in C order is too large for the float32 of a map", element));
  return narrow;
}

std::vector<float> numbers_for_map(std::span<const fft::Complex> values, MapNumbers kind) {
  std::vector<float> numbers;
  numbers.reserve(values.size() * (kind == MapNumbers::real ? 1 : 2));
  for (std::size_t i = 0; i < values.size(); ++i) {
    numbers.push_back(narrowed(values[i].real(), i));
    if (kind == MapNumbers::complex) numbers.push_back(narrowed(values[i].imag(), i));
  }
  return numbers;
}

/// REQUIRES: the array's type is f4 or c8.
std::vector<float> numbers_for_map(const StoredArray& array) {
  std::vector<float> numbers(array.data.size() / sizeof(float));
  std::memcpy(numbers.data(), array.data.data(), array.data.size());
  if (!npy::format_of(array.dtype).is_swapped) return numbers;
  for (float& number : numbers) {
    const auto bytes = std::as_writable_bytes(std::span(&number, 1));
    std::ranges::reverse(bytes);
  }
  return numbers;
}

MapNumbers numbers_of(NpyType type) {
  return type == NpyType::f4 || type == NpyType::f8 ? MapNumbers::real : MapNumbers::complex;
}

void write_as_map(std::ostream& out, const HostArray& array, NpyType type) {
  const std::vector<std::size_t> shape = array.shape_in_file();
  if (!array.raw) {
    const MapNumbers kind = numbers_of(type);
    return write_map(out, shape, numbers_for_map(array.values, kind), kind, array.frame.get());
  }
  const StoredArray raw = stored_from(array);
  const bool is_real = npy::format_of(raw.dtype).numbers == 1;
  write_map(out, shape, numbers_for_map(raw), is_real ? MapNumbers::real : MapNumbers::complex,
            array.frame.get());
}

}  // namespace

void check_output(const std::string& out, std::size_t axes, std::string_view dtype) {
  if (output_format(out) != OutputFormat::map) return;
  check_map_axes(out, axes);
  const std::string_view code = npy::format_of(dtype).code;
  if (code != "f4" && code != "c8")
    throw BadInput(
        fmt::format("{}: a map holds numbers of type f4 or c8, not {}; give --type f4 or --type "
                    "c8, or write .npy",
                    out, code));
}

void TransformOutputs::prepare_array(const HostArray& values, NpyType type) {
  if (output_format(paths.out) == OutputFormat::map)
    write_as_map(array->stream(), values, type);
  else if (values.raw)
    write_npy(array->stream(), stored_from(values));
  else
    write_npy(array->stream(), values.shape_in_file(), values.values, type);
  array->finish();
  throw_if_interrupted();
  is_array_written_ = true;
}

void TransformOutputs::commit_array() {
  if (is_array_written_) array->commit();
}

}  // namespace toroid
