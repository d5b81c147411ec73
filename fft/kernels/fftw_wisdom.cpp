#include <fftw3.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "fft/kernels/fftw.hpp"
#include "fft/kernels/fftw_api.hpp"
#include "fft/kernels/wisdom_check.hpp"
#include "hal/check.hpp"

namespace toroid::fft::local {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

/// Removes one list in parentheses, which is FFTW's form of wisdom, from the front of the text and
/// returns it. Returns an empty string if there is none.
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

/// The second word of a list names its precision: "(fftw-3.3.10 fftwf_wisdom ...".
bool import_list(const std::string& list) {
  if (!is_wisdom_list(list)) return false;
  const std::size_t word = std::min(list.find(' '), list.size());
  if (std::string_view(list).substr(word).starts_with(" fftwf_wisdom"))
    return Fftw<float>::import_wisdom(list.c_str()) != 0;
  return Fftw<double>::import_wisdom(list.c_str()) != 0;
}

template <typename Real>
std::string exported() {
  const std::unique_ptr<char, decltype(&std::free)> text(Fftw<Real>::export_wisdom(), &std::free);
  TOROID_CHECK(text != nullptr);
  return text.get();
}

}  // namespace

std::string_view fftw_name() {
  return fftw_version;
}

bool import_fftw_wisdom(std::string_view lists) {
  const std::lock_guard lock(planner);
  for (skip_blanks(lists); !lists.empty(); skip_blanks(lists))
    if (!import_list(take_list(lists))) return false;
  return true;
}

std::string fftw_wisdom() {
  const std::lock_guard lock(planner);
  return exported<double>() + exported<float>();
}

void forget_fftw_wisdom() {
  const std::lock_guard lock(planner);
  Fftw<double>::forget_wisdom();
  Fftw<float>::forget_wisdom();
}

}  // namespace toroid::fft::local
