// The journals of a campaign's shards, read to be put together.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/lab/campaign/journal.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The rows of several journals of one campaign. A case may be in more than one if its rows are
/// equal but for the wall clock. Nothing is added: what is missing is refused.
class MergedJournals final : public FinishedRows {
 public:
  /// Throws BadInput where a journal cannot be read, stands twice, does not say its campaign, or is
  /// of another campaign or version, and where two rows of a case differ.
  explicit MergedJournals(const std::vector<std::string>& paths);

  /// "compare" or "sweep".
  std::string verb() const;
  /// What was typed behind the verb, as far as it has an effect on rows.
  std::vector<std::string> arguments() const;
  /// Throws BadInput where the journals are of other settings than these.
  void check(const Json& settings) const;

  const Json* find(const std::string& key) const override;
  void add(const std::string& key, const Json& row) override;
  /// Names the first case that is missing, and of each shard how many are.
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
  std::map<std::string, std::size_t> file_of_;  ///< the first that has a row of the case
};

}  // namespace toroid
