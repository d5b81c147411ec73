#include "tools/campaign/schedule_files.hpp"

#include <memory>
#include <string>
#include <utility>

#include "hal/shape.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tools/io/schedule_file.hpp"
#include "tools/results/result_hash.hpp"

namespace toroid {
namespace {

ScheduleFiles::File read_file(const std::string& path) {
  std::string text = read_schedule_text(path);
  ResultHash hash;
  hash.add(text);
  return {std::move(text), hash.text()};
}

}  // namespace

const ScheduleFiles::File& ScheduleFiles::file(const std::string& path, Rank nodes) {
  auto found = files_.find(path);
  if (found == files_.end()) found = files_.emplace(path, read_file(path)).first;
  File& file = found->second;
  std::shared_ptr<const ScheduleGraph>& graph = file.graphs[nodes];
  if (!graph) graph = std::make_shared<const ScheduleGraph>(parse_schedule(file.text, path, nodes));
  return file;
}

}  // namespace toroid
