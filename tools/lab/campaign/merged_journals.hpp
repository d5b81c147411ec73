// The journals of a campaign's shards, read in order to merge them.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/lab/campaign/journal.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The rows of several journals of one campaign. A case may be in several journals if its rows are
/// equal except for the wall clock. No case is run; if cases are missing, expect() throws.
class MergedJournals final : public FinishedRows {
 public:
  /// Throws BadInput if a journal cannot be read, is listed twice, does not record its campaign or
  /// belongs to another campaign or version, or if two rows of a case differ.
  explicit MergedJournals(const std::vector<std::string>& paths);

  /// The verb of the campaign: "compare" or "sweep".
  std::string verb() const;
  /// The options typed after the verb, as far as they affect rows.
  std::vector<std::string> arguments() const;
  /// The number of processes that made the rows.
  unsigned processes() const;
  /// Throws BadInput if the journals were written with other settings.
  void check(const Json& settings) const;

  const Json* find(const std::string& key) const override;
  void add(const std::string& key, const Json& row) override;
  /// Throws BadInput if cases are missing. The message has the first missing case, and the number
  /// of missing cases of each shard.
  void expect(std::span<const CampaignCase> cases) const override;

 private:
  struct File {
    std::string path;
    JournalContent content;
    std::string shard() const { return content.campaign["shard"]; }
  };
  void add_rows(std::size_t file);
  void refuse_another_campaign(const File& file) const;
  std::string whereabouts(std::size_t place) const;

  std::vector<File> files_;
  std::map<std::string, std::size_t> file_of_;  ///< the first file that has a row of the case
};

}  // namespace toroid
