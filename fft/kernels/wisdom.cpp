#include <fftw3.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fft/kernels/fftw_api.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/kernels/wisdom_file.hpp"
#include "fft/kernels/wisdom_list.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

constexpr std::string_view kOwn = "toroid ";
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::uintmax_t kLargest = 64u << 20;  ///< bytes of a file; a plan takes some hundred

/// Guarded by `planner`, as FFTW's wisdom is.
std::vector<std::string>& own_lines() {
  static std::vector<std::string> lines;
  return lines;
}

void keep(const std::string& line) {
  if (std::ranges::find(own_lines(), line) == own_lines().end()) own_lines().push_back(line);
}

/// The text of a file; empty if there is no such file.
std::string content_of(const std::filesystem::path& path) {
  std::error_code error;  // exists() reports it
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return {};
  if (!std::filesystem::is_regular_file(status))  // reading a FIFO or a device might never end
    throw BadInput(one_line(path.string() + ": is no regular file"));
  if (std::filesystem::file_size(path, error) > kLargest && !error)
    throw BadInput(one_line(path.string() + ": is too large for wisdom"));
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw BadInput(one_line(path.string() + ": cannot be read"));
  return text;
}

/// Takes the lines of this project from the front of a file's text.
std::vector<std::string> take_own(std::string_view& text) {
  std::vector<std::string> lines;
  while (text.starts_with(kOwn)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

/// Takes one list in parentheses, FFTW's form of wisdom, from the front; empty if there is none.
std::string take_list(std::string_view& text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (depth == 0) break;
    if (text[at] != ')' || --depth > 0) continue;
    const std::string list(text.substr(0, at + 1));
    text.remove_prefix(at + 1);
    return list;
  }
  return {};
}

/// The second word of a list says its precision: "(fftw-3.3.10 fftwf_wisdom ...".
bool import_list(const std::string& list) {
  if (!is_wisdom_list(list)) return false;
  const std::size_t word = std::min(list.find(' '), list.size());
  if (std::string_view(list).substr(word).starts_with(" fftwf_wisdom"))
    return Fftw<float>::import_wisdom(list.c_str()) != 0;
  return Fftw<double>::import_wisdom(list.c_str()) != 0;
}

bool import(std::string_view text) {
  const std::vector<std::string> own = take_own(text);
  skip_blanks(text);
  if (own.empty() && text.empty()) return false;
  const std::lock_guard lock(planner);
  for (; !text.empty(); skip_blanks(text))
    if (!import_list(take_list(text))) return false;
  std::ranges::for_each(own, keep);
  return true;
}

template <typename Real>
std::string exported() {
  const std::unique_ptr<char, decltype(&std::free)> text(Fftw<Real>::export_wisdom(), &std::free);
  TOROID_CHECK(text != nullptr);
  return text.get();
}

}  // namespace

bool load_wisdom(const std::filesystem::path& path) {
  const std::string content = content_of(path);
  if (content.empty()) return false;
  const std::optional<std::string_view> text = wisdom_in(content);
  if (!text)
    throw BadInput(one_line(
        fmt::format("{}: is no wisdom that toroid wrote, or has changed since (its checksum does "
                    "not fit); without the file it is measured anew",
                    path.string())));
  if (!import(*text))
    throw BadInput(one_line(fmt::format("{}: is no wisdom of {}", path.string(), fftw_version)));
  return true;
}

std::string wisdom() {
  const std::lock_guard lock(planner);
  std::string text;
  for (const std::string& line : own_lines()) text += line + '\n';
  return wisdom_file(text + exported<double>() + exported<float>());
}

void forget_wisdom() {
  const std::lock_guard lock(planner);
  own_lines().clear();
  Fftw<double>::forget_wisdom();
  Fftw<float>::forget_wisdom();
}

std::vector<std::string> own_wisdom() {
  const std::lock_guard lock(planner);
  return own_lines();
}

void add_own_wisdom(std::string line) {
  TOROID_CHECK(line.starts_with(kOwn));
  TOROID_CHECK(line.find('\n') == std::string::npos);
  const std::lock_guard lock(planner);
  keep(line);
}

}  // namespace toroid::fft::local
