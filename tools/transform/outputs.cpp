#include "tools/transform/outputs.hpp"

#include <cstddef>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/array_file.hpp"
#include "tools/run/progress.hpp"

namespace toroid {
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
  refuse_one_file_for_two(std::array{without_stream(paths.in), paths.observation.report});
}

std::unique_ptr<OutputFile> open(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

std::unique_ptr<OutputFile> open_array(const std::string& path) {
  if (path != kStandardStream) return open(path);
  return std::make_unique<OutputFile>(OutputFile::StandardOutput());
}

}  // namespace

TransformOutputs::TransformOutputs(const OutputPaths& paths)
    : json((refuse_clashes(paths), paths.json)),
      array(open_array(paths.out)),
      wisdom(open(paths.wisdom)),
      array_to_stdout(paths.out == kStandardStream) {}

void TransformOutputs::write_array(const HostArray& values, NpyType type) {
  std::vector<std::size_t> shape(values.size.begin(), values.size.end());
  if (values.batch > 1) shape.insert(shape.begin(), static_cast<std::size_t>(values.batch));
  write_npy(array->stream(), shape, values.values, type);
  throw_if_interrupted();
  array->commit();
}

}  // namespace toroid
