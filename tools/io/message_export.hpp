// --export: a run's messages as a file that `toroid replay` performs.
#pragma once

#include <memory>
#include <string>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/message_record.hpp"
#include "tools/command_line/cli_fwd.hpp"
#include "tools/command_line/options.hpp"
#include "tools/io/output_file.hpp"
#include "tools/run/emulation.hpp"
#include "tools/run/processes.hpp"

namespace toroid {

void add_export_option(CLI::App& verb, std::string& path);

/// Opens its file before the run, so that a bad path costs nothing, and outlives the nodes.
class MessageExport {
 public:
  /// An empty path: nothing is recorded. Throws BadInput where the path is none for a schedule or
  /// cannot be written.
  MessageExport(const std::string& path, const Shape& shape, const Processes& processes);

  /// The options of a run that is recorded, if that was asked for.
  RunOptions recorded(RunOptions options);
  /// After the run; the process that reports writes what all of them have recorded. All call it in
  /// the same order.
  void write(const Emulation& emulation, const Machine& machine);

 private:
  std::string path_;
  std::unique_ptr<MessageRecord> record_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace toroid
