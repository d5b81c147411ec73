// What is judged besides traffic: a transform, or the messages of a file, read once.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hal/shape.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// Each is read once, when it is first asked for, so that all cases have the same messages.
class ScheduleFiles {
 public:
  struct File {
    std::string text;
    std::string fingerprint;                                        ///< of the text
    std::map<Rank, std::shared_ptr<const ScheduleGraph>> graphs{};  ///< by the number of nodes
  };
  /// With the graph for `nodes`. Throws BadInput as read_schedule() and ScheduleGraph do.
  const File& file(const std::string& path, Rank nodes);
  /// A file that is not read but given: its text under a path, whose ending names the format.
  void add(const std::string& path, std::string text);

 private:
  std::map<std::string, File> files_;
};

/// It knows its torus; calls are const and may come from several threads at once. What policy,
/// changes, machine and seed are is in the settings of the run (settings_of()).
class Workload {
 public:
  virtual ~Workload() = default;
  virtual Sent sent() const = 0;
  /// As the table of option effects names it: "fft:METHOD", "fft:orbital:fft" or "replay".
  virtual std::string kind() const = 0;
  /// Whether policies run it that differ from `random` only in what it does not read.
  virtual bool takes_every_policy() const { return false; }
  /// Throws BadInput where the policy cannot run it.
  virtual void refuse_unfit(const CampaignSettings& settings) const = 0;
  /// Time, bound, counters and, of a transform, `exchanges`: name, time, bound and percentage of
  /// each. Throws RunFailed.
  virtual Json run(const CampaignSettings& settings) const = 0;
  virtual RunEstimate estimate(const CampaignSettings& settings) const = 0;
  /// Differs where its name stands for other messages than before: a file may have changed.
  virtual std::string fingerprint() const { return {}; }
};

/// "fft:SIZE[:METHOD[:PLANES[:lines][:taper] or :KIND]]", as fft:128x128x128:slab:2, or
/// "replay:FILE", one of `files`. Throws BadInput.
std::shared_ptr<const Workload> make_workload(const std::string& text, const Shape& shape,
                                              const CampaignSettings& settings,
                                              ScheduleFiles& files);

}  // namespace toroid
