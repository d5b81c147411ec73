#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fft/kernels/fftw.hpp"
#include "fft/kernels/kernel.hpp"
#include "fft/kernels/wisdom_format.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

constexpr std::string_view kOwn = "toroid ";
constexpr std::uintmax_t kLargest = 64u << 20;  ///< maximum bytes of a file; a plan takes hundreds

constinit std::mutex own_lines_mutex;

/// Guarded by `own_lines_mutex`.
std::vector<std::string>& own_lines() {
  static std::vector<std::string> lines;
  return lines;
}

void keep(const std::string& line) {
  if (std::ranges::find(own_lines(), line) == own_lines().end()) own_lines().push_back(line);
}

/// The text of a file; empty if there is no such file.
std::string content_of(const std::filesystem::path& path) {
  std::error_code error;  // keeps status() from throwing; exists() is then false
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return {};
  if (!std::filesystem::is_regular_file(status))  // reading a FIFO or a device might never end
    throw BadInput(one_line(path.string() + ": is not a regular file"));
  if (std::filesystem::file_size(path, error) > kLargest && !error)
    throw BadInput(one_line(path.string() + ": is too large for wisdom"));
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw BadInput(one_line(path.string() + ": cannot be read"));
  return text;
}

/// Removes toroid's own lines from the front of a file's text and returns them.
std::vector<std::string> take_own(std::string_view& text) {
  std::vector<std::string> lines;
  while (text.starts_with(kOwn)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool import(std::string_view text) {
  const std::vector<std::string> own = take_own(text);
  if (own.empty() && text.find_first_not_of(" \t\r\n") == text.npos) return false;
  if (!import_fftw_wisdom(text)) return false;
  const std::lock_guard lock(own_lines_mutex);
  std::ranges::for_each(own, keep);
  return true;
}

}  // namespace

bool load_wisdom(const std::filesystem::path& path) {
  const std::string content = content_of(path);
  if (content.empty()) return false;
  const std::optional<std::string_view> text = wisdom_of_format(content);
  if (!text)
    throw BadInput(one_line(
        fmt::format("{}: is not wisdom that toroid wrote, or has changed since (its checksum does "
                    "not fit); remove the file to measure anew",
                    path.string())));
  if (!import(*text))
    throw BadInput(one_line(fmt::format("{}: is not wisdom of {}", path.string(), fftw_name())));
  return true;
}

std::string wisdom() {
  const std::lock_guard lock(own_lines_mutex);
  std::string text;
  for (const std::string& line : own_lines()) text += line + '\n';
  return formatted_wisdom(text + fftw_wisdom());
}

void forget_wisdom() {
  const std::lock_guard lock(own_lines_mutex);
  own_lines().clear();
  forget_fftw_wisdom();
}

std::vector<std::string> own_wisdom() {
  const std::lock_guard lock(own_lines_mutex);
  return own_lines();
}

void add_own_wisdom(std::string line) {
  TOROID_CHECK(line.starts_with(kOwn));
  TOROID_CHECK(line.find('\n') == std::string::npos);
  const std::lock_guard lock(own_lines_mutex);
  keep(line);
}

}  // namespace toroid::fft::local
