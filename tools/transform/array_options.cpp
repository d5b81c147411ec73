#include "tools/transform/array_options.hpp"

#include <CLI/CLI.hpp>
#include "tools/options/option_values.hpp"

namespace toroid {

void add_array_options(CLI::App& verb, ArrayOptions& options, const ArrayTexts& texts) {
  verb.add_option("--size", options.size, std::string(texts.size))
      ->type_name("SIZE")
      ->check(not_empty());
  add_file_option(verb, "--in", options.in,
                  "array of 1 to 6 dimensions: .npy, .npz or .map, or array NAME of an archive as "
                  "FILE.npz:NAME; -: standard input");
  verb.add_flag("--permissive", options.permissive,
                "read --in although marks in it are damaged or bytes follow the elements; each is "
                "warned of");
  verb.add_flag("--xyz", options.xyz,
                "turn the axes of the map in --in, so that sections are Z, rows Y and columns X");
  add_file_option(verb, "--out", options.out, std::string(texts.out));
}

void add_run_options(CLI::App& verb, ArrayOptions& options, std::string_view check) {
  verb.add_flag("--check", options.check, std::string(check));
  verb.add_option("--repeat", options.repeat, "number of runs; their median is reported")
      ->transform(whole_number(1, 1000000))
      ->capture_default_str();
}

}  // namespace toroid
