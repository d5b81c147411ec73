#include "tools/options/policy_project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "hal/check.hpp"
#include "packet/policies/policies.hpp"
#include "packet/policies/policy.hpp"
#include "tools/files/output_file.hpp"
#include "tools/options/project/policy_templates.hpp"
#include "tools/text/numbers.hpp"

namespace toroid {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPolicyName = 64;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_name_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}
bool is_part_of_name(char c) {
  return is_name_letter(c) || is_digit(c) || c == '-' || c == '_';
}

void refuse_bad_name(const std::string& name) {
  if (name.empty() || name.size() > kLongestPolicyName || !is_name_letter(name.front()) ||
      !std::ranges::all_of(name, is_part_of_name))
    throw BadInput(
        one_line(fmt::format("policy new '{}': expected a name of letters, digits, - "
                             "and _, a letter first, at most {}",
                             name, kLongestPolicyName)));
  for (const Policy* policy : built_in_policies())
    if (policy->name().substr(0, policy->name().find(':')) == name)
      throw BadInput(fmt::format("policy new {0}: {0} is a built-in policy", name));
}

/// "nearest-first" becomes NearestFirstPolicy; toroid's own classes have no such names.
std::string class_of(std::string_view name) {
  std::string text;
  bool begins = true;
  for (const char c : name) {
    if (c != '-' && c != '_') text += begins && is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '-' || c == '_';
  }
  return text + "Policy";
}

/// Replaces every `mark` in the text.
std::string with(std::string text, std::string_view mark, std::string_view value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
  return text;
}

/// The parent of the folder that has the command: the prefix of an installation, or the build
/// folder. CMake's find_package finds toroid in both.
std::string own_prefix() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string() : command.parent_path().parent_path().native();
}

void write_text(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.stream() << text;
  file.commit();
}

/// The command as the user can type it again: "toroid" or a path.
std::string typed_command() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  const fs::path near = fs::proximate(command, error);
  if (error || command.native().starts_with("/usr/")) return "toroid";
  return near.native().starts_with("..") ? command.native() : near.native();
}

}  // namespace

std::string write_policy_project(const std::string& name, const std::string& directory) {
  refuse_bad_name(name);
  const fs::path folder = fs::path(directory) / name;
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)))
    throw BadInput(one_line(fmt::format("{}: already exists", folder.native())));
  if (!fs::create_directory(folder, error))
    throw BadInput(one_line(fmt::format("{}: {}", folder.native(), error.message())));
  const auto text_of = [&](std::string_view text) {
    return with(with(with(std::string(text), "@NAME@", name), "@CLASS@", class_of(name)),
                "@PREFIX@", own_prefix());
  };
  write_text(folder / (name + ".cpp"), text_of(kPolicySource));
  write_text(folder / "CMakeLists.txt", text_of(kPolicyBuild));
  return fmt::format(
      "{0}/{1}.cpp is a policy that compiles unchanged. Next:\n"
      "  cmake -P {0}/CMakeLists.txt\n"
      "  {2} compare --torus 4x4x4 --policies all,{0}/{1}.so\n"
      "  {2} policy check {0}/{1}.so\n",
      folder.native(), name, typed_command());
}

}  // namespace toroid
