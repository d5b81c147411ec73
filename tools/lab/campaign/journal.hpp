// The finished rows of a campaign on disk: a later campaign with the same settings continues where
// this one ended, even if it was killed.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tools/text/json.hpp"

namespace toroid {

struct CampaignCase;

/// Rows by the key of their case. Only one thread at a time may call it.
class FinishedRows {
 public:
  virtual ~FinishedRows() = default;
  /// The row of a finished case; null if it is not finished.
  virtual const Json* find(const std::string& key) const = 0;
  /// Adds a row, which is stored when this returns. Throws RunFailed if it cannot be stored.
  virtual void add(const std::string& key, const Json& row) = 0;
  /// Called before cases are run. A class that allows no runs throws BadInput if a case is not
  /// finished.
  virtual void expect(std::span<const CampaignCase> /*cases*/) const {}

 protected:
  FinishedRows() = default;
  FinishedRows(const FinishedRows&) = default;
  FinishedRows& operator=(const FinishedRows&) = default;
};

/// The content of a journal. `campaign`: {"arguments": [...], "shard": "2/4"}. The arguments are
/// the typed options that affect rows. `campaign` is null if the campaign was not started from a
/// command line.
struct JournalContent {
  Json settings;
  Json campaign;
  std::map<std::string, Json> rows;
};

/// Reads a journal without changing it. An incomplete last line is ignored. Throws BadInput with
/// file and line; also throws BadInput if a run has the journal open.
JournalContent read_journal(const std::string& path);
/// Parses a journal's text. `subject`: its name, without line breaks.
JournalContent parse_journal(std::string_view text, const std::string& subject);

/// Throws BadInput if the settings of the journal, `theirs`, differ from `settings`. The message
/// has the first setting that differs. `subject`: the journal's name.
void refuse_other_settings(const std::string& subject, const Json& theirs, const Json& settings);

/// A text file of one JSON object per line. The first line has the campaign and the settings that
/// all of its cases share. Each further line has a finished case with its checksum, or another
/// campaign with the same settings that has continued the file. Invariant: every line except the
/// last is complete. The file is locked against other processes while the object lives. Only one
/// thread at a time may call it.
class Journal final : public FinishedRows {
 public:
  /// Opens or creates the file. `settings`: names and values of everything that decides results,
  /// except what belongs to a case; `campaign`: as in JournalContent. Throws BadInput with file and
  /// line if the file has other settings or another shard, is not a journal or is in use. An
  /// incomplete last line is removed.
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
