// What commands that work on one array have in common: the array, where the result goes, how often.
#pragma once

#include <string>
#include <string_view>

#include "tools/options/cli_fwd.hpp"

namespace toroid {

struct ArrayOptions {
  std::string size;
  std::string in;
  std::string out;
  bool check = false;
  unsigned repeat = 1;
};

/// What the options of a command say, where commands differ.
struct ArrayTexts {
  std::string_view size;
  std::string_view out;
};

/// --size, --in and --out.
void add_array_options(CLI::App& verb, ArrayOptions& options, const ArrayTexts& texts);
/// --check, of which `check` says what it does, and --repeat.
void add_run_options(CLI::App& verb, ArrayOptions& options, std::string_view check);

}  // namespace toroid
