// Workloads, which a campaign can run in place of traffic patterns: transforms and schedules from
// files.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hal/shape.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tools/lab/campaign/shared_settings.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Reads each schedule once, when it is first needed, so that all cases have the same messages.
class ScheduleFiles {
 public:
  struct File {
    std::string text;
    std::string fingerprint;                                        ///< hash of the text
    std::map<Rank, std::shared_ptr<const ScheduleGraph>> graphs{};  ///< by the number of nodes
  };
  /// The file with its graph for `nodes` nodes. Throws BadInput as read_schedule() and
  /// ScheduleGraph do.
  const File& file(const std::string& path, Rank nodes);
  /// Adds a file by its text instead of reading it. The ending of `path` names the format.
  void add(const std::string& path, std::string text);

 private:
  std::map<std::string, File> files_;
};

/// A workload for a given torus. Calls are const and may come from several threads at once. The
/// settings of the run (settings_of()) provide policy, changes, machine and seed.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual Sent sent() const = 0;
  /// The name in the table of option effects: "fft:METHOD", "fft:orbital:fft" or "replay".
  virtual std::string kind() const = 0;
  /// Whether it also runs policies that differ from `random` only in settings without effect on it.
  virtual bool takes_every_policy() const { return false; }
  /// Throws BadInput if the policy cannot run the workload.
  virtual void refuse_unfit(const CampaignSettings& settings) const = 0;
  /// Runs the workload. Returns time, bound and counters; for a transform also `exchanges`: name,
  /// time, bound and percentage of each. Returns an empty object on a process that does not report.
  /// Throws RunFailed.
  virtual Json run(const CampaignSettings& settings) const = 0;
  virtual RunEstimate estimate(const CampaignSettings& settings) const = 0;
  /// Identifies the messages: it changes if the contents of the file change, even if its name stays
  /// the same.
  virtual std::string fingerprint() const { return {}; }
};

/// Makes a workload from "fft:SIZE[:METHOD[:PLANES[:lines][:taper] or :KIND]]", e.g.
/// fft:128x128x128:slab:2, or from "replay:FILE", a file of `files`. Throws BadInput.
std::shared_ptr<const Workload> make_workload(const std::string& text, const Shape& shape,
                                              const CampaignSettings& settings,
                                              ScheduleFiles& files);

}  // namespace toroid
