#include "tools/lab/campaign/workload.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/plan/blueprint.hpp"
#include "fft/plan/description.hpp"
#include "fft/plan/transform_kind.hpp"
#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "hal/tick.hpp"
#include "packet/node/handlers.hpp"
#include "packet/node/node.hpp"
#include "packet/replay/replay.hpp"
#include "tools/files/host_array.hpp"
#include "tools/files/schedule_file.hpp"
#include "tools/lab/campaign/counter_columns.hpp"
#include "tools/options/common_options.hpp"
#include "tools/report/provenance.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/replay_bounds.hpp"
#include "tools/run/run_options.hpp"
#include "tools/run/run_result.hpp"
#include "tools/text/spelling.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/transform/input.hpp"
#include "tools/transform/options.hpp"
#include "tools/transform/run.hpp"
#include "tools/transform/transform_json.hpp"
#include "tools/transform/work_estimate.hpp"

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

namespace {

constexpr unsigned kRepeatOnTheWallClock = 5;

class TransformWorkload final : public Workload {
 public:
  TransformWorkload(FftOptions options, const Shape& shape, FabricName fabric)
      : options_(std::move(options)), shape_(shape) {
    fft::Description description = describe(options_, fabric);
    description.size = parse_size(options_.size);
    blueprint_ = std::make_shared<const fft::Blueprint>(description, shape);
  }

  Sent sent() const override { return sent_by(blueprint_->description().method); }
  std::string kind() const override {
    const bool is_orbital_fft = options_.method == "orbital" && options_.transform == "fft";
    return "fft:" + options_.method + (is_orbital_fft ? ":fft" : "");
  }
  bool takes_every_policy() const override {
    return blueprint_->description().method == fft::Method::orbital;
  }

  void refuse_unfit(const CampaignSettings& settings) const override {
    (void)under_policy(settings.run, *blueprint_, settings.machine);
  }

  Json run(const CampaignSettings& settings) const override {
    FftOptions options = options_;
    options.common = settings.common;
    const fft::Blueprint& shared = *blueprint_;
    // A blueprint keeps the exchanges of one policy, so each run makes its own.
    const TransformJob job{
        std::make_shared<const fft::Blueprint>(shared.description(), shared.shape()),
        fft::Way::forward, fft::Scale::none, settings.is_virtual() ? 1 : kRepeatOnTheWallClock};
    const RunOptions run = under_policy(settings.run, *job.blueprint, settings.machine);
    const PlanBounds bounds =
        bounds_of(*job.blueprint, job.way, settings.machine, movement_of(run, *job.blueprint));
    Emulation emulation(shape_, settings.machine, run, true, 0);
    const Outcome outcome = transform(emulation, job, fft_input(options, shape_).array);
    if (!settings.reports()) return Json::object();
    const Tick cycles = outcome.median().cycles();
    Json row;
    add_timing(row,
               plan_timing(bounds, settings.machine, emulation, settings.is_virtual(), cycles));
    row["exchanges"] = phases_json(job, outcome, bounds, settings.machine,
                                   settings.is_virtual() ? nullptr : &emulation);
    add_counted(row, emulation, shape_, settings, cycles);
    row["wall_s"] = emulation.wall_seconds();
    return row;
  }

  RunEstimate estimate(const CampaignSettings& settings) const override {
    return estimate_run(transform_work(*blueprint_), shape_, settings.machine, settings.run,
                        fft_bytes(options_, blueprint_->description().size, shape_));
  }

 private:
  FftOptions options_;
  Shape shape_;
  std::shared_ptr<const fft::Blueprint> blueprint_;
};

class ReplayWorkload final : public Workload {
 public:
  ReplayWorkload(const ScheduleFiles::File& file, const Shape& shape)
      : graph_(file.graphs.at(shape.size())), shape_(shape), fingerprint_(file.fingerprint) {}

  /// The file decides the order of messages, not the policy.
  Sent sent() const override { return Sent::messages; }
  std::string kind() const override { return "replay"; }

  void refuse_unfit(const CampaignSettings& settings) const override {
    (void)under_policy(settings.run, shape_, settings.machine);
  }

  Json run(const CampaignSettings& settings) const override {
    const RunOptions run = under_policy(settings.run, shape_, settings.machine);
    Emulation emulation(shape_, settings.machine, run, true, 0);
    MessageTimes times(*graph_);
    std::deque<Replay> replays;
    const ReplayOptions options{run.node.settings.packets_per_visit, !settings.is_virtual()};
    for (Node& node : emulation.nodes()) {
      Replay& replay = replays.emplace_back(node, kFirstUserHandler, *graph_, times, options);
      node.run(Replay::program(node, replay));
    }
    emulation.run();
    const Tick cycles = emulation.latest(emulation.programs_end());
    if (!settings.reports()) return Json::object();
    Json row;
    add_timing(row, replay_timing(*graph_, shape_, settings.machine, emulation,
                                  settings.is_virtual(), cycles));
    add_counted(row, emulation, shape_, settings, cycles);
    row["wall_s"] = emulation.wall_seconds();
    return row;
  }

  RunEstimate estimate(const CampaignSettings& settings) const override {
    return estimate_run(replay_work(*graph_, shape_), shape_, settings.machine, settings.run, 0);
  }
  std::string fingerprint() const override { return fingerprint_; }

 private:
  std::shared_ptr<const ScheduleGraph> graph_;
  Shape shape_;
  std::string fingerprint_;
};

FftOptions fft_options_of(const std::string& text, const std::vector<std::string>& parts) {
  if (parts.size() < 2 || parts.size() > 6 || parts[1].empty())
    throw BadInput(fmt::format(
        "workload '{}': expected fft:SIZE[:METHOD], METHOD e.g. slab[:PLANES[:lines][:taper]] or "
        "orbital[:KIND], as in fft:64:slab:2",
        shortened(text)));
  FftOptions options;
  options.size = parts[1];
  if (parts.size() > 2) options.method = parts[2];
  (void)parse_choice<fft::Method>("method", fft::kMethodNames, options.method);
  if (parts.size() < 4) return options;
  if (options.method == "orbital" && parts.size() == 4) {
    options.transform = parts[3];
    if (parts[3] == fft::kTransformKindNames[0])  // equal workloads must have one name
      throw BadInput(fmt::format("workload '{}': dft is the default; write {}:{}:orbital",
                                 shortened(text), parts[0], shortened(parts[1])));
    (void)parse_choice<fft::TransformKind>("transform", fft::kTransformKindNames, parts[3]);
    return options;
  }
  if (options.method != "slab")
    throw BadInput(
        fmt::format("workload '{}': only slab takes planes, and only orbital a kind of "
                    "transform",
                    shortened(text)));
  constexpr std::int64_t kMostPlanes = 1 << 24;
  options.planes = parse_number<std::int64_t>(parts[3]).value_or(0);
  if (options.planes < 1 || options.planes > kMostPlanes)
    throw BadInput(fmt::format("workload '{}': '{}' is not a number of planes; expected 1 to {}",
                               shortened(text), shortened(parts[3]), kMostPlanes));
  // The order is fixed, so that equal workloads have one name.
  std::size_t next = 4;
  const auto comes = [&](std::string_view word) {
    const bool is_next = next < parts.size() && parts[next] == word;
    if (is_next) ++next;
    return is_next;
  };
  if (comes(fft::kStartNames[1])) options.start = fft::kStartNames[1];
  options.taper = comes("taper");
  if (next < parts.size())
    throw BadInput(fmt::format(
        "workload '{}': expected lines, taper or lines:taper after the planes", shortened(text)));
  return options;
}

}  // namespace

std::shared_ptr<const Workload> make_workload(const std::string& text, const Shape& shape,
                                              const CampaignSettings& settings,
                                              ScheduleFiles& files) {
  refuse_twisted(shape);
  if (text.starts_with("replay:"))
    return std::make_shared<ReplayWorkload>(
        files.file(text.substr(std::string("replay:").size()), shape.size()), shape);
  const std::vector<std::string> parts = split(text, ':');
  if (parts.front() != "fft")
    throw BadInput(fmt::format(
        "unknown workload '{}'; known: fft:SIZE[:METHOD], fft:SIZE:slab[:PLANES[:lines][:taper]], "
        "fft:SIZE:orbital[:KIND], replay:FILE",
        shortened(text)));
  return std::make_shared<TransformWorkload>(fft_options_of(text, parts), shape,
                                             settings.run.fabric);
}

}  // namespace toroid
