// toroid poisson --in: solves Poisson's equation for the density of a file or of the host program.
#pragma once

#include <cstdint>
#include <string>

#include "tools/options/cli_fwd.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/run_setup.hpp"
#include "tools/transform/method_options.hpp"

namespace toroid {

/// The density, its box and its potential.
struct DensityOptions {
  std::string in;
  std::string out;
  std::string cell;  ///< three lengths; empty if they are those of the map, or the points 1 apart
  std::string boundary = "periodic";
  std::string precision = "double";
  bool check = false;
  unsigned repeat = 1;
};

/// All options of toroid poisson.
struct PoissonOptions {
  CommonOptions common;
  TorusOptions torus;
  std::int64_t size = 64;  ///< of the largest grid of rock salt
  std::string method = "volumetric";
  std::string kernel = default_kernel();
  PieceOptions pieces;
  DensityOptions density;
  std::string report;
};

void add_density_options(CLI::App& command, DensityOptions& options);

/// Whether the command has a density to solve for. Without one it computes rock salt.
bool has_density(const PoissonOptions& options);

/// Solves for the density in all processes of the run. Returns the exit code; throws BadInput and
/// RunFailed.
int run_density(const PoissonOptions& options, const RunSetup& setup);

}  // namespace toroid
