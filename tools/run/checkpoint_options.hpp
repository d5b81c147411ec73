// --checkpoint and --checkpoint-every.
#pragma once

#include <string>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

struct CheckpointOptions {
  std::string file;    ///< empty: nothing is saved
  double every = 600;  ///< seconds

  bool given() const { return !file.empty(); }
};

void add_checkpoint_options(CLI::App& command, CheckpointOptions& options);

}  // namespace toroid
