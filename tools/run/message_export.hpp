// Implements --export: writes a run's messages to a file for `toroid replay`.
#pragma once

#include <memory>
#include <string>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/message_record.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/processes.hpp"
#include "tools/run/run_options.hpp"

namespace toroid {

void add_export_option(CLI::App& command, std::string& path);

/// Records the messages of a run. Opens its file before the run, so that a bad path fails at once.
/// Must outlive the nodes, whose threads write to the record.
class MessageExport {
 public:
  /// If `path` is empty, nothing is recorded. Throws BadInput if it does not end in .goal or .csv
  /// or cannot be written.
  MessageExport(const std::string& path, const Shape& shape, const Processes& processes);

  /// The options of the run, with the record added if there is a path.
  RunOptions recorded(RunOptions options);
  /// Writes the records of all processes, on the process that reports. All processes call it after
  /// the run, in the same order.
  void write(const Emulation& emulation, const Machine& machine);

 private:
  std::string path_;
  std::unique_ptr<MessageRecord> record_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace toroid
