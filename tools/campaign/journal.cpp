#include "tools/campaign/journal.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "hal/check.hpp"
#include "tools/results/json.hpp"

namespace toroid {
namespace {

constexpr const char* kMagic = "toroid_journal";
constexpr int kFormat = 1;

std::string errno_text() {
  return std::generic_category().message(errno);
}

std::string journal_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// The object of a line; discarded where the text is none.
Json journal_object(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json(Json::value_t::discarded);
}

std::string journal_header(const Json& settings) {
  return journal_line({{kMagic, kFormat}, {"settings", settings}});
}

}  // namespace

Journal::Journal(const std::string& path, const Json& settings) : path_(one_line(path)) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
  if (file_ < 0) refuse("cannot be written: " + errno_text());
  try {
    lock();
    const std::string text = content();
    const std::string header = journal_header(settings);
    const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 = 0: not one whole line
    if (whole == 0 && !header.starts_with(text)) refuse("is not a journal of toroid");
    if (whole > 0) {
      read_header(std::string_view(text).substr(0, text.find('\n')), settings);
      read(text.substr(0, whole));
    }
    if (whole < text.size()) truncate(whole);
    if (whole == 0) append(header);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  ::close(file_);
}

void Journal::lock() {
  struct stat status;
  if (::fstat(file_, &status) != 0) refuse("cannot be read: " + errno_text());
  if (!S_ISREG(status.st_mode)) refuse("is not a file that a journal can be kept in");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) refuse("is in use by another run");
}

std::string Journal::content() const {
  std::string text;
  char block[65536];
  for (ssize_t got; (got = ::pread(file_, block, sizeof block, static_cast<off_t>(text.size())));) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse("cannot be read: " + errno_text());
    text.append(block, static_cast<std::size_t>(got));
  }
  return text;
}

void Journal::read(const std::string& text) {
  std::size_t number = 1;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    read_case(std::string_view(text).substr(at, end - at), ++number);
    at = end + 1;
  }
}

/// Refuses a journal of other settings and names the first that differs.
void Journal::read_header(std::string_view line, const Json& settings) const {
  const Json header = journal_object(line);
  if (header.is_discarded() || !header.contains(kMagic) || header[kMagic] != kFormat ||
      !header.contains("settings"))
    refuse("is not a journal of toroid");
  const Json& theirs = header["settings"];
  for (const auto& [name, value] : settings.items())
    if (!theirs.contains(name) || theirs[name] != value)
      refuse(one_line(fmt::format("is of {} {}, not {}", name,
                                  theirs.contains(name) ? theirs[name].dump() : "unknown",
                                  value.dump())));
}

void Journal::read_case(std::string_view line, std::size_t number) {
  const Json entry = journal_object(line);
  if (entry.is_discarded() || !entry.contains("case") || !entry["case"].is_string() ||
      !entry.contains("row") || !entry["row"].is_object())
    throw BadInput(fmt::format(
        "{}, line {}: expected a finished case, {{\"case\": ..., \"row\": ...}}", path_, number));
  rows_[entry["case"].get<std::string>()] = entry["row"];
}

void Journal::truncate(std::size_t size) const {
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0)
    refuse("cannot be written: " + errno_text());
}

const Json* Journal::find(const std::string& key) const {
  const auto found = rows_.find(key);
  return found == rows_.end() ? nullptr : &found->second;
}

void Journal::add(const std::string& key, const Json& row) {
  append(journal_line({{"case", key}, {"row", row}}));
  rows_[key] = row;
}

/// Writes the line at once, so that an interruption leaves all of it or an incomplete last line.
void Journal::append(const std::string& line) const {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw RunFailed(fmt::format("cannot write {}: {}", path_, errno_text()));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(file_) != 0 && errno != EINVAL && errno != ENOSYS)
    throw RunFailed(fmt::format("cannot write {}: {}", path_, errno_text()));
}

void Journal::refuse(const std::string& why) const {
  throw BadInput(fmt::format("--resume {} {}", path_, why));
}

}  // namespace toroid
