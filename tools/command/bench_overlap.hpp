// toroid bench overlap: how much of its communication the slab method hides.
#pragma once

#include <string>

#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"
#include "tools/transform/overlap_bench.hpp"

namespace toroid {

struct OverlapOptions {
  std::string size = "64";
  double box_cut = 1;
  bool inverse = false;
  OverlapAxes axes{.planes = {1, 2, 4, 8},
                   .windows = {1, 2, 4, 16},
                   .test_intervals = {1, 8, 64, 512},
                   .nodes_per_process = {}};
};

void add_overlap_options(CLI::App& command, OverlapOptions& options);

/// Runs the benchmark. Returns the exit code; throws BadInput and RunFailed.
int run_overlap_bench(const CLI::App& command, const OverlapOptions& options,
                      const CommonOptions& common, const TorusOptions& torus);

}  // namespace toroid
