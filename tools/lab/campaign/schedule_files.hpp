// The files of messages that a campaign replays.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "hal/shape.hpp"
#include "packet/replay/schedule_graph.hpp"

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

}  // namespace toroid
