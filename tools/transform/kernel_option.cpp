#include "tools/transform/kernel_option.hpp"

#include <CLI/CLI.hpp>
#include "fft/kernels/kernel.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/choice.hpp"

namespace toroid {

std::string default_kernel() {
  return std::string(name_of(fft::local::kLibraryNames, fft::local::default_library()));
}

void add_kernel_option(CLI::App& verb, std::string& kernel) {
  verb.add_option("--kernel", kernel, "whose line transforms the nodes compute")
      ->check(one_of("kernel", fft::local::kLibraryNames))
      ->capture_default_str();
}

fft::LibraryName library_of(const std::string& kernel) {
  return parse_choice<fft::LibraryName>("kernel", fft::local::kLibraryNames, kernel);
}

}  // namespace toroid
