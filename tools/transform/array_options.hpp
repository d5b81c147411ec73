// Options shared by commands that work on one array: input, output, checks, repetitions.
#pragma once

#include <string>
#include <string_view>

#include "tools/files/array_file.hpp"
#include "tools/options/cli_fwd.hpp"

namespace toroid {

struct ArrayOptions {
  std::string size;
  std::string in;
  std::string out;
  bool check = false;
  bool permissive = false;  ///< damaged marks in --in are warned of, not refused
  bool xyz = false;         ///< the axes of a map are turned into Z, Y, X
  unsigned repeat = 1;

  ReadingRules reading_rules() const { return {.permissive = permissive, .turns_axes = xyz}; }
};

/// Help texts that differ between commands.
struct ArrayTexts {
  std::string_view size;
  std::string_view out;
};

/// Adds --size, --in with its options, and --out.
void add_array_options(CLI::App& verb, ArrayOptions& options, const ArrayTexts& texts);
/// Adds --check, with `check` as its help text, and --repeat.
void add_run_options(CLI::App& verb, ArrayOptions& options, std::string_view check);

}  // namespace toroid
