#include "tools/lab/campaign/journal.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "hal/check.hpp"
#include "tools/files/file_descriptor.hpp"
#include "tools/lab/campaign/shard.hpp"
#include "tools/report/provenance.hpp"

namespace toroid {
namespace {

constexpr const char* kMagic = "toroid_journal";
constexpr int kFormat = 3;  ///< format 3 added checksums to rows

std::string errno_text() {
  return std::generic_category().message(errno);
}

[[noreturn]] void refuse_journal(const std::string& subject, const std::string& why) {
  throw BadInput(one_line(fmt::format("{} {}", subject, why)));
}

std::string journal_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// A value as shown in messages.
std::string value_text(const Json& value) {
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Parses the object of a line. Returns a discarded value if the text is not an object.
Json journal_object(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json(Json::value_t::discarded);
}

std::string journal_header(const Json& settings, const Json& campaign) {
  Json header = {{kMagic, kFormat}, {"settings", settings}};
  if (!campaign.is_null()) header["campaign"] = campaign;
  return journal_line(header);
}

/// Checksum of a finished case, which detects changes of the file.
std::string checksum_of(const std::string& key, const Json& row) {
  ResultHash sum;
  sum.add(std::string_view(journal_line({{"case", key}, {"row", row}})));
  return sum.text();
}

/// `operation`: LOCK_EX to write, LOCK_SH to read.
void lock_journal(int file, int operation, const std::string& subject) {
  struct stat status;
  if (::fstat(file, &status) != 0) refuse_journal(subject, "cannot be read: " + errno_text());
  if (!S_ISREG(status.st_mode)) refuse_journal(subject, "is not a regular file");
  if (::flock(file, operation | LOCK_NB) != 0) refuse_journal(subject, "is in use by another run");
}

std::string content_of_journal(int file, const std::string& subject) {
  std::string text;
  char block[65536];
  for (ssize_t got; (got = ::pread(file, block, sizeof block, static_cast<off_t>(text.size())));) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_journal(subject, "cannot be read: " + errno_text());
    text.append(block, static_cast<std::size_t>(got));
  }
  return text;
}

bool is_campaign(const Json& json) {
  return json.is_object() && json.contains("arguments") && json["arguments"].is_array() &&
         !json["arguments"].empty() &&
         std::ranges::all_of(json["arguments"],
                             [](const Json& word) { return word.is_string(); }) &&
         json.contains("shard") && json["shard"].is_string() &&
         shard_in(json["shard"].get<std::string>()).has_value();
}

JournalContent header_of_journal(std::string_view line, const std::string& subject) {
  const Json header = journal_object(line);
  if (header.is_discarded() || !header.contains(kMagic) || !header.contains("settings") ||
      !header["settings"].is_object() || !header[kMagic].is_number_unsigned())
    refuse_journal(subject, "is not a toroid journal");
  if (header[kMagic] != kFormat)
    refuse_journal(subject, fmt::format("has journal format {}; this toroid reads format {}",
                                        header[kMagic].get<std::uint64_t>(), kFormat));
  JournalContent content{header["settings"], nullptr, {}};
  if (header.contains("campaign") && is_campaign(header["campaign"]))
    content.campaign = header["campaign"];
  return content;
}

void read_line(JournalContent& content, std::string_view line, const std::string& path,
               std::size_t number) {
  const Json entry = journal_object(line);
  if (!entry.is_discarded() && entry.contains("campaign") && is_campaign(entry["campaign"])) {
    content.campaign = entry["campaign"];
    return;
  }
  if (entry.is_discarded() || !entry.contains("case") || !entry["case"].is_string() ||
      !entry.contains("row") || !entry["row"].is_object() || !entry.contains("checksum"))
    throw BadInput(fmt::format(
        "{}, line {}: expected a finished case, {{\"case\": ..., \"checksum\": ..., \"row\": ...}}",
        path, number));
  const std::string key = entry["case"];
  if (entry["checksum"] != checksum_of(key, entry["row"]))
    throw BadInput(fmt::format(
        "{}, line {}: the line has changed since it was written (wrong checksum)", path, number));
  content.rows[key] = entry["row"];
}

/// `text`: complete lines; the first is the header.
void read_lines(JournalContent& content, std::string_view text, const std::string& path) {
  std::size_t number = 1;
  for (std::size_t at = text.find('\n') + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    read_line(content, text.substr(at, end - at), path, ++number);
    at = end + 1;
  }
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

JournalContent read_journal(const std::string& path) {
  const std::string subject = one_line(path);
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open()) refuse_journal(subject, "cannot be read: " + errno_text());
  lock_journal(file.number(), LOCK_SH, subject);
  return parse_journal(content_of_journal(file.number(), subject), subject);
}

JournalContent parse_journal(std::string_view text, const std::string& subject) {
  const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 = 0: no complete line
  if (whole == 0) refuse_journal(subject, "is not a toroid journal");
  JournalContent content = header_of_journal(first_line(text), subject);
  read_lines(content, text.substr(0, whole), subject);
  return content;
}

void refuse_other_settings(const std::string& subject, const Json& theirs, const Json& settings) {
  for (const auto& [name, value] : settings.items())
    if (!theirs.contains(name) || theirs[name] != value)
      refuse_journal(subject, one_line(fmt::format(
                                  "was written with {} {}, not {}", name,
                                  theirs.contains(name) ? value_text(theirs[name]) : "unknown",
                                  value_text(value))));
}

Journal::Journal(const std::string& path, const Json& settings, const Json& campaign)
    : path_(one_line(path)) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
  if (file_ < 0) refuse_journal(subject(), "cannot be written: " + errno_text());
  try {
    lock_journal(file_, LOCK_EX, subject());
    const std::string text = content_of_journal(file_, subject());
    const std::string header = journal_header(settings, campaign);
    const std::size_t whole = text.rfind('\n') + 1;
    if (whole == 0 && !header.starts_with(text))
      refuse_journal(subject(), "is not a toroid journal");
    if (whole > 0) read(std::string_view(text).substr(0, whole), settings);
    if (whole < text.size()) truncate(whole);
    whole == 0 ? append(header) : go_on(campaign);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  ::close(file_);
}

void Journal::read(std::string_view text, const Json& settings) {
  kept_ = header_of_journal(first_line(text), subject());
  refuse_other_settings(subject(), kept_.settings, settings);
  read_lines(kept_, text, path_);
}

/// Another shard is refused, because this journal has none of its cases.
void Journal::go_on(const Json& campaign) {
  if (campaign.is_null() || campaign == kept_.campaign) return;
  if (!kept_.campaign.is_null() && kept_.campaign["shard"] != campaign["shard"])
    refuse_journal(subject(), fmt::format("belongs to shard {}, not {}",
                                          shortened(kept_.campaign["shard"].get<std::string>()),
                                          campaign["shard"].get<std::string>()));
  append(journal_line({{"campaign", campaign}}));
  kept_.campaign = campaign;
}

void Journal::truncate(std::size_t size) const {
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0)
    refuse_journal(subject(), "cannot be written: " + errno_text());
}

const Json* Journal::find(const std::string& key) const {
  const auto found = kept_.rows.find(key);
  return found == kept_.rows.end() ? nullptr : &found->second;
}

void Journal::add(const std::string& key, const Json& row) {
  append(journal_line({{"case", key}, {"checksum", checksum_of(key, row)}, {"row", row}}));
  kept_.rows[key] = row;
}

/// Writes the line at once, so that after an interruption the file has either the whole line or an
/// incomplete last line.
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

std::string Journal::subject() const {
  return "--resume " + path_;
}

}  // namespace toroid
