#include "tools/run/checkpoint_options.hpp"

#include <CLI/CLI.hpp>
#include "tools/options/option_values.hpp"
#include "tools/options/options.hpp"

namespace toroid {

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options) {
  begin_group(command, "Output");
  CLI::Option* const file =
      add_file_option(command, "--checkpoint", options.file,
                      "save the run there now and then, and when it is interrupted; the "
                      "same command goes on from it; removed when the run has ended");
  command.add_option("--checkpoint-every", options.every, "seconds between two checkpoints")
      ->needs(file)
      ->check(number(0, 1e6))
      ->capture_default_str();
}

}  // namespace toroid
