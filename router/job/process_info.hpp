// Who the processes of a job are, and how messages name them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "router/job/job.hpp"

namespace toroid::job {

/// This process, without its address.
ProcessInfo this_process();

/// The processes of a job.
class Roster {
 public:
  explicit Roster(unsigned size) : infos_(size), places_(size) {}

  ProcessInfo& operator[](unsigned rank) { return infos_[rank]; }
  const ProcessInfo& operator[](unsigned rank) const { return infos_[rank]; }
  void set_place(unsigned rank, std::string place) { places_[rank] = std::move(place); }
  /// Job::name().
  std::string name(unsigned rank) const;
  /// Gives processes that are connected with process 0 over the loopback the address of process 0.
  void replace_loopback();

  const std::vector<ProcessInfo>& infos() const { return infos_; }
  /// Throws Malformed if they are not of as many processes.
  void set_infos(std::vector<ProcessInfo> infos);

 private:
  std::vector<ProcessInfo> infos_;
  std::vector<std::string> places_;
};

}  // namespace toroid::job
