#include "tools/report/page.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "tools/report/assets.hpp"
#include "tools/report/deflate_base64.hpp"
#include "tools/report/provenance.hpp"
#include "tools/report/recording.hpp"
#include "tools/report/slice.hpp"
#include "tools/text/json.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

Json shape_json(const Shape& shape) {
  Json extents = Json::array();
  Json wraps = Json::array();
  for (unsigned d = 0; d < shape.dims(); ++d) {
    extents.push_back(shape.extent(d));
    wraps.push_back(shape.wraps(d));
  }
  return {{"extents", extents}, {"wraps", wraps}};
}

/// Version, date and command of the process that made the page.
Json about_json() {
  return {{"version", kVersion},
          {"git_hash", kGitHash},
          {"date", provenance().date},
          {"command", provenance().command}};
}

Json data_json(const ReportInputs& inputs) {
  Json runs = Json::array();
  for (const ReportRun& run : inputs.runs) {
    Json& json = runs.emplace_back(run.head);
    if (run.recording) {
      json["recording"] = run.recording->to_json();
      json["recording"].update(shape_json(run.recording->shape));
    }
    if (run.loads) {
      json["loads"] = {{"packets", pack_words(run.loads->packets)}};
      json["loads"].update(shape_json(run.loads->shape));
    }
    if (run.slices.empty()) continue;
    json["slices"] = Json::array();
    for (const Slice& slice : run.slices) json["slices"].push_back(slice.to_json());
  }
  return {{"version", kVersion},     {"about", about_json()},     {"runs", runs},
          {"sweeps", inputs.sweeps}, {"benches", inputs.benches}, {"papers", inputs.papers},
          {"failed", inputs.failed}};
}

/// The data for a script element, escaped so that no text in it can end the element.
std::string script_text(const Json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace))
    c == '<' ? text += "\\u003c" : text += c;
  return text;
}

std::string filled(std::string_view page, const Json& data) {
  const std::string script = script_text(data);
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"@CSS@", assets::kStyle}, {"@JS@", assets::kScript}, {"@DATA@", script}};
  std::string text;
  for (const auto& [mark, part] : parts) {
    const std::size_t at = page.find(mark);
    TOROID_CHECK(at != page.npos);
    text.append(page.substr(0, at)).append(part);
    page.remove_prefix(at + mark.size());
  }
  return text.append(page);
}

/// The recording with the most samples; null if none has more than one.
Recording* largest(std::vector<ReportRun>& runs) {
  Recording* largest = nullptr;
  for (ReportRun& run : runs) {
    if (!run.recording || run.recording->samples() < 2) continue;
    if (largest == nullptr || run.recording->link_busy.size() > largest->link_busy.size())
      largest = &*run.recording;
  }
  return largest;
}

}  // namespace

std::string report_page(ReportInputs inputs) {
  std::string page = filled(assets::kPage, data_json(inputs));
  while (page.size() > kMostPageBytes) {
    Recording* const recording = largest(inputs.runs);
    if (recording == nullptr) break;
    recording->halve();
    page = filled(assets::kPage, data_json(inputs));
  }
  return page;
}

}  // namespace toroid
