// Workloads by which policies are compared, besides traffic: a transform, or the messages of a
// file.
#pragma once

#include <memory>
#include <string>

#include "hal/shape.hpp"
#include "tools/lab/campaign/schedule_files.hpp"
#include "tools/lab/campaign/settings.hpp"
#include "tools/run/estimate.hpp"
#include "tools/run/policy_effects.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// It knows its torus; calls are const and may come from several threads at once. What policy,
/// changes, machine and seed are is in the settings of the run (settings_of()).
class Workload {
 public:
  virtual ~Workload() = default;
  virtual Sent sent() const = 0;
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
