#include "tools/transform/outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <vector>

#include "fft/plan/description.hpp"
#include "fft/plan/extents.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "tools/files/array_file.hpp"
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

void TransformOutputs::write_array(const HostArray& values, NpyType type) {
  std::vector<std::size_t> shape(values.size.begin(), values.size.end());
  if (values.batch > 1 || values.has_batch_axis)
    shape.insert(shape.begin(), static_cast<std::size_t>(values.batch));
  if (values.raw)
    write_npy(array->stream(), stored_from(values));
  else
    write_npy(array->stream(), shape, values.values, type);
  throw_if_interrupted();
  array->commit();
}

}  // namespace toroid
