#include "tools/options/synonyms.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "tools/files/npy_elements.hpp"
#include "tools/options/common_options.hpp"
#include "tools/options/option_text.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

struct Synonym {
  std::string_view theirs;
  std::string_view ours;
};

constexpr Synonym kTraffics[] = {
    {"neighbor", "neighbour"},          {"nearest-neighbor", "neighbour"},
    {"nearest-neighbour", "neighbour"}, {"alltoall", "all-to-all"},
    {"all2all", "all-to-all"},          {"all_to_all", "all-to-all"}};

constexpr Synonym kOptions[] = {{"--pattern", "--traffic"},     {"--topology", "--torus"},
                                {"--shape", "--torus"},         {"--dims", "--torus"},
                                {"--dimensions", "--torus"},    {"--message-size", "--bytes"},
                                {"--msg-size", "--bytes"},      {"--input", "--in"},
                                {"--output", "--out"},          {"--iterations", "--repeat"},
                                {"--iters", "--repeat"},        {"--procs", "-n"},
                                {"--num-threads", "--threads"}, {"-np", "-n"},
                                {"--verify", "--check"},        {"--scheduler", "--policy"},
                                {"--algorithm", "--method"},    {"--dtype", "--precision"},
                                {"--dtype", "--type"},          {"-q", "--quiet"},
                                {"--injection-rate", "--load"}};

/// Programs and interfaces that start processes.
constexpr std::string_view kLaunchers[] = {"mpi", "mpirun", "mpiexec", "srun", "slurm", "pmix"};

std::string_view own_word(std::span<const Synonym> synonyms, std::string_view typed) {
  const auto found = std::ranges::find(synonyms, typed, &Synonym::theirs);
  return found == synonyms.end() ? typed : found->ours;
}

std::string own_traffics(std::string_view list) {
  std::vector<std::string_view> names = parts_of(list, ",");
  for (std::string_view& name : names) name = own_word(kTraffics, trimmed(name));
  return fmt::format("{}", fmt::join(names, ","));
}

/// Whether the parts between the separators are extents: "4" or "4m".
bool are_extents(std::string_view text) {
  return std::ranges::all_of(parts_of(text, "x"), [](std::string_view extent) {
    if (extent.ends_with('m')) extent.remove_suffix(1);
    return !extent.empty() && std::ranges::all_of(extent, is_digit);
  });
}

/// The shape with x between its extents. A text that is not a shape is returned unchanged. Twists
/// after '@' stay unchanged, because they name dimensions by capital letters.
std::string own_shape(const std::string& text, bool may_have_commas) {
  const std::size_t end = std::min(text.find('@'), text.size());
  std::string extents = text.substr(0, end);
  std::ranges::replace(extents, 'X', 'x');
  if (may_have_commas) std::ranges::replace(extents, ',', 'x');
  return are_extents(extents) ? extents + text.substr(end) : text;
}

/// own_shape(), and "7x" for "7,", as a tuple of one number is typed.
std::string own_size(const std::string& text) {
  const bool is_line = text.size() > 1 && (text.ends_with(',') || text.ends_with('X'));
  const std::string_view extent = std::string_view(text).substr(0, text.size() - 1);
  if (is_line && std::ranges::all_of(extent, is_digit)) return std::string(extent) + 'x';
  return own_shape(text, true);
}

constexpr std::string_view kFloats[] = {"<f4", "<f8", "<c8", "<c16"};

/// The code of a type that --type takes, e.g. "f4" for "float32" and "<f4". Other texts, among them
/// names without digits, which mean different types to different users, are returned unchanged.
std::string own_type(const std::string& text) {
  if (std::ranges::none_of(text, is_digit)) return text;
  try {
    const std::string dtype = npy::canonical_dtype(text);
    const bool is_known = std::ranges::find(kFloats, dtype) != std::ranges::end(kFloats);
    return is_known ? dtype.substr(1) : text;
  } catch (const BadInput&) {
    return text;
  }
}

/// "single" or "double" for a type with this precision.
std::string own_precision(const std::string& text) {
  const std::string type = own_type(text);
  if (type == "f4" || type == "c8") return "single";
  return type == "f8" || type == "c16" ? "double" : text;
}

std::string own_value(const CLI::App& command, std::string_view option, const std::string& value) {
  const CLI::Option* const known = command.get_option_no_throw(std::string(option));
  const bool is_list = known != nullptr && known->get_allow_extra_args();
  if (option == "--traffic") return own_traffics(value);
  if (option == "--torus") return own_shape(value, !is_list);
  if (option == "--size") return own_size(value);
  if (option == "--type") return own_type(value);
  return option == "--precision" ? own_precision(value) : value;
}

bool takes_shape_alone(const CLI::App& command) {
  return command.get_option_no_throw("--torus") != nullptr &&
         command.get_option_no_throw("--size") == nullptr &&
         std::ranges::none_of(command.get_options(), &CLI::Option::get_positional);
}

/// Replaces words of other programs by toroid's own. In a command line of launch it stops before
/// the command that launch starts.
void use_own_words(const CLI::App& command, std::span<std::string> words) {
  const bool is_launch = command.get_name() == "launch";
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word == "--" || (is_launch && !looks_like_option(word))) return;
    if (is_launch && word == "-np") word = "-n";
    const std::size_t mark = word.find('=');
    if (takes_next(command, word) && i + 1 < words.size()) {
      words[i + 1] = own_value(command, word, words[i + 1]);
      ++i;
    } else if (word.starts_with("--") && mark != std::string::npos) {
      const std::string option = word.substr(0, mark);
      word = option + "=" + own_value(command, option, word.substr(mark + 1));
    }
  }
}

}  // namespace

bool looks_like_shape(std::string_view word) {
  const std::string text = own_shape(std::string(word), true);
  return text.find('x') != std::string::npos && are_extents(text);
}

std::string own_option(const CLI::App& command, std::string_view typed) {
  for (const Synonym& synonym : kOptions)
    if (synonym.theirs == typed &&
        command.get_option_no_throw(std::string(synonym.ours)) != nullptr)
      return std::string(synonym.ours);
  return {};
}

std::string wrong_fabric(std::string_view name) {
  const auto core = [](std::string_view provider) {
    return provider.substr(0, provider.find(';'));
  };
  const auto* const provider = std::ranges::find(kProviderNames, core(name), core);
  if (provider != kProviderNames.end())
    return fmt::format("'{}' is a provider of libfabric; write --fabric ofi --provider '{}'", name,
                       *provider);
  if (std::ranges::find(kLaunchers, name) != std::ranges::end(kLaunchers))
    return fmt::format("there is no fabric '{}'; between processes use --fabric ofi", name);
  return {};
}

Words with_own_words(const CLI::App& app, Words arguments) {
  if (arguments.size() == 1 && arguments.front() == "version") return {"--version"};
  if (arguments.empty()) return arguments;
  const CLI::App* const command = find_command(app, arguments.front());
  if (command == nullptr) return arguments;
  if (arguments.size() > 1 && !arguments[1].empty() && is_digit(arguments[1].front()) &&
      takes_shape_alone(*command))
    arguments.insert(arguments.begin() + 1, "--torus");
  use_own_words(*command, std::span(arguments).subspan(1));
  return arguments;
}

}  // namespace toroid
