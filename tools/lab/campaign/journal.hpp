// The finished rows of a campaign on the disk: a later campaign with the same settings goes on
// where this one ended, however it ended.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tools/text/json.hpp"

namespace toroid {

struct CampaignCase;

/// Rows by the key of their case. Calls come from one thread at a time.
class FinishedRows {
 public:
  virtual ~FinishedRows() = default;
  /// The row of a finished case; null where it is not finished.
  virtual const Json* find(const std::string& key) const = 0;
  /// Adds a row, which is kept when this returns. Throws RunFailed where it cannot be.
  virtual void add(const std::string& key, const Json& row) = 0;
  /// Is called before cases are run. Throws BadInput where none may be run and one is not finished.
  virtual void expect(std::span<const CampaignCase> /*cases*/) const {}

 protected:
  FinishedRows() = default;
  FinishedRows(const FinishedRows&) = default;
  FinishedRows& operator=(const FinishedRows&) = default;
};

/// What a journal says. `campaign`: {"arguments": [...], "shard": "2/4"}, what was typed and has an
/// effect on the rows; null where nobody typed it.
struct JournalContent {
  Json settings;
  Json campaign;
  std::map<std::string, Json> rows;
};

/// Reads a journal that no run has open, and leaves it as it is; an incomplete last line is left
/// out. Throws BadInput, with file and line.
JournalContent read_journal(const std::string& path);
/// The same of a journal's text. `subject`: its name in one line.
JournalContent parse_journal(std::string_view text, const std::string& subject);

/// Throws BadInput where settings differ, and names the first that does. `subject`: the journal.
void refuse_other_settings(const std::string& subject, const Json& theirs, const Json& settings);

/// A text file of one JSON object per line: first the settings that all cases share and the
/// campaign, then a line per finished case with its checksum, or a line with the campaign where
/// another one with the same settings goes on. Invariant: every line but the last is complete. The
/// file is locked against other processes as long as the object lives; calls come from one thread
/// at a time.
class Journal final : public FinishedRows {
 public:
  /// Opens or creates the file. `settings`: the names and values that decide a result, apart from
  /// the case; `campaign` as above. Throws BadInput, with file and line, where the file has other
  /// settings or another shard, is no journal or is in use. An incomplete last line is dropped.
  Journal(const std::string& path, const Json& settings, const Json& campaign = nullptr);
  ~Journal() override;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const Json* find(const std::string& key) const override;
  void add(const std::string& key, const Json& row) override;

  const std::string& path() const { return path_; }
  std::size_t size() const { return kept_.rows.size(); }

 private:
  void read(std::string_view text, const Json& settings);
  void go_on(const Json& campaign);
  void truncate(std::size_t size) const;
  void append(const std::string& line) const;
  std::string subject() const;

  std::string path_;
  int file_ = -1;
  JournalContent kept_;
};

}  // namespace toroid
