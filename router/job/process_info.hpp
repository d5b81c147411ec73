// The identity of the processes of a job, and their names in messages.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "router/job/job.hpp"

namespace toroid::job {

/// Information about this process, without its address.
ProcessInfo this_process();

/// Returns the text of Job::name().
using NameOf = std::function<std::string(unsigned rank)>;

/// The processes of a job.
class Roster {
 public:
  explicit Roster(unsigned size) : infos_(size), places_(size) {}

  ProcessInfo& operator[](unsigned rank) { return infos_[rank]; }
  const ProcessInfo& operator[](unsigned rank) const { return infos_[rank]; }
  void set_place(unsigned rank, std::string place) { places_[rank] = std::move(place); }
  /// Returns the text of Job::name().
  std::string name(unsigned rank) const;
  /// Replaces loopback addresses by the address of process 0, which is on the same host.
  void replace_loopback();

  const std::vector<ProcessInfo>& infos() const { return infos_; }
  /// Sets the information on all processes. Throws Malformed if their number differs.
  void set_infos(std::vector<ProcessInfo> infos);

 private:
  std::vector<ProcessInfo> infos_;
  std::vector<std::string> places_;
};

}  // namespace toroid::job
