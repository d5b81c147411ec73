// What of a transform's options would have no effect.
#pragma once

#include "tools/command_line/cli_fwd.hpp"
#include "tools/transform/options.hpp"

namespace toroid {

/// Those given that the method, or a loop, does not heed. Throws BadInput.
void refuse_options_without_effect(const CLI::App& verb, const FftOptions& options);

}  // namespace toroid
