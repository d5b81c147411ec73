// Whose line transforms the nodes compute.
#pragma once

#include <string>

#include "fft/plan/description.hpp"
#include "tools/options/cli_fwd.hpp"

namespace toroid {

/// The library of this build that transforms lines unless --kernel names another.
std::string default_kernel();
void add_kernel_option(CLI::App& verb, std::string& kernel);
/// Throws BadInput if there is no such library.
fft::LibraryName library_of(const std::string& kernel);

}  // namespace toroid
