#include "tools/run/host_processes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

/// Begins a report: the ASCII character "record separator", which texts do not contain.
constexpr std::string_view kBegin = "\x1etoroid launch: ";
constexpr std::size_t kLongest = 64;  // characters of a report

std::optional<Report> parsed(std::string_view line) {
  const std::vector<std::string> words = split(line.substr(kBegin.size()), ' ');
  if (words.size() != 3) return std::nullopt;
  const auto rank = parse_number<unsigned>(words[0]);
  const auto what = parse_number<int>(words[1]);
  const auto status = parse_number<int>(words[2]);
  if (!rank || !what || !status || *what < Report::answers || *what > Report::ends)
    return std::nullopt;
  return Report{*rank, static_cast<Report::What>(*what), *status};
}

}  // namespace

std::string encode(const LaunchShare& share) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(nlohmann::json(share));
  return fmt::format("{}\n", bytes.size()) + std::string(bytes.begin(), bytes.end());
}

std::optional<LaunchShare> take_share(std::string& bytes) {
  constexpr std::size_t kLargest = std::size_t{1} << 28;  // bytes
  const BadInput not_a_share("standard input is not from 'toroid launch --hosts'");
  const std::size_t begin = bytes.find('\n') + 1;
  if (begin == 0) return std::nullopt;
  const auto size = parse_number<std::size_t>(std::string_view(bytes).substr(0, begin - 1));
  if (!size || *size > kLargest) throw not_a_share;
  if (bytes.size() - begin < *size) return std::nullopt;
  try {
    const std::string cbor = bytes.substr(begin, *size);
    bytes.erase(0, begin + *size);
    return nlohmann::json::from_cbor(cbor).get<LaunchShare>();
  } catch (const nlohmann::json::exception&) {
    throw not_a_share;
  }
}

ReportReader::Result ReportReader::read(std::string_view bytes) {
  Result result;
  std::string all = std::exchange(begun_, {}) + std::string(bytes);
  std::size_t at = 0;
  for (;;) {
    const std::size_t begin = std::min(all.find(kBegin.front(), at), all.size());
    result.text += all.substr(at, begin - at);
    if (begin == all.size()) return result;
    const std::string_view rest = std::string_view(all).substr(begin);
    const std::size_t end = rest.substr(0, kLongest).find('\n');
    const bool may_be_report = rest.substr(0, kBegin.size()) == kBegin.substr(0, rest.size());
    if (may_be_report && end == rest.npos && rest.size() < kLongest) {
      begun_ = rest;
      return result;
    }
    const auto report =
        may_be_report && end != rest.npos ? parsed(rest.substr(0, end)) : std::nullopt;
    if (report)
      result.reports.push_back(*report);
    else
      result.text += rest.front();
    at = begin + (report ? end + 1 : 1);
  }
}

std::string text_of(const Report& report) {
  return fmt::format("{}{} {} {}\n", kBegin, report.rank, static_cast<int>(report.what),
                     report.status);
}

}  // namespace toroid
