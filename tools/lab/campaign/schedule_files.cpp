#include "tools/lab/campaign/schedule_files.hpp"

#include <utility>

#include "tools/files/schedule_file.hpp"
#include "tools/report/result_hash.hpp"

namespace toroid {
namespace {

ScheduleFiles::File file_of(std::string text) {
  ResultHash hash;
  hash.add(text);
  return {std::move(text), hash.text()};
}

}  // namespace

void ScheduleFiles::add(const std::string& path, std::string text) {
  files_.insert_or_assign(path, file_of(std::move(text)));
}

const ScheduleFiles::File& ScheduleFiles::file(const std::string& path, Rank nodes) {
  auto found = files_.find(path);
  if (found == files_.end()) found = files_.emplace(path, file_of(read_schedule_text(path))).first;
  File& file = found->second;
  std::shared_ptr<const ScheduleGraph>& graph = file.graphs[nodes];
  if (!graph) graph = std::make_shared<const ScheduleGraph>(parse_schedule(file.text, path, nodes));
  return file;
}

}  // namespace toroid
