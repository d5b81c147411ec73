#include "tools/options/unparsed_arguments.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>

#include "tools/options/option_text.hpp"
#include "tools/text/numbers.hpp"

namespace toroid {

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-' && word != "--" && !is_digit(word[1]);
}

bool takes_next(const CLI::App& command, const std::string& word) {
  if (!looks_like_option(word)) return false;
  const bool is_short = word[1] != '-';
  if (is_short ? word.size() > 2 : word.find('=') != std::string::npos) return false;
  const CLI::Option* option = command.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

LaunchedCommand take_launched(const CLI::App& app, Words& arguments) {
  const auto is_command = [&](const std::string& word) {
    return find_command(app, word) != nullptr;
  };
  auto at = std::ranges::find_if(arguments, is_command);
  if (at == arguments.end() || *at != "launch") return {};
  const CLI::App& launch = *find_command(app, "launch");
  for (++at; at != arguments.end() && looks_like_option(*at); ++at)
    if (takes_next(launch, *at) && std::next(at) != arguments.end()) ++at;
  if (at == arguments.end()) return {};
  const bool is_program = *at == "--";
  LaunchedCommand launched{Words(at + (is_program ? 1 : 0), arguments.end()), is_program};
  arguments.erase(at, arguments.end());
  return launched;
}

}  // namespace toroid
