#include "tools/lab/campaign/merged_journals.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "hal/check.hpp"
#include "tools/lab/campaign/case.hpp"
#include "tools/lab/campaign/shard.hpp"
#include "tools/text/split_and_wrap.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

/// A row without the figures that differ between runs of the same case.
Json lasting(Json row) {
  row.erase("wall_s");
  return row;
}

std::string typed_text(const Json& campaign) {
  std::vector<std::string> words = {"toroid"};
  for (const Json& word : campaign["arguments"]) words.push_back(word.get<std::string>());
  return one_line(command_line(words));
}

/// The case in words, e.g. "rank, all-to-all, 4x4x4, 480 bytes".
std::string text_of_case(const CampaignCase& one) {
  std::vector<std::string> words;
  const Json row = one.json();
  for (const auto& [name, value] : row.items()) {
    if (name == "nodes" || value.is_null()) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    const bool is_name = name == "policy" || name == "traffic" || name == "torus";
    words.push_back(is_name ? text : name == "bytes" ? text + " bytes" : name + " " + text);
  }
  return one_line(fmt::format("{}", fmt::join(words, ", ")));
}

void refuse_repeated_files(const std::vector<std::string>& paths) {
  for (auto at = paths.begin(); at != paths.end(); ++at)
    for (auto before = paths.begin(); before != at; ++before) {
      std::error_code error;
      if (*before == *at || std::filesystem::equivalent(*before, *at, error))
        throw BadInput(one_line(fmt::format("{} and {} are the same journal", *before, *at)));
    }
}

}  // namespace

MergedJournals::MergedJournals(const std::vector<std::string>& paths) {
  refuse_repeated_files(paths);
  for (const std::string& path : paths) {
    files_.push_back({one_line(path), read_journal(path)});
    const File& file = files_.back();
    refuse_other_settings(file.path, file.content.settings,
                          {{"version", kVersion}, {"git_hash", kGitHash}});
    refuse_another_campaign(file);
    refuse_other_settings(file.path, file.content.settings, files_.front().content.settings);
    add_rows(files_.size() - 1);
  }
}

void MergedJournals::refuse_another_campaign(const File& file) const {
  const Json& campaign = file.content.campaign;
  if (campaign.is_null())
    throw BadInput(
        fmt::format("{} does not record its command; run the command again with --resume to add it",
                    file.path));
  const File& first = files_.front();
  if (campaign["arguments"] != first.content.campaign["arguments"])
    throw BadInput(fmt::format("{} belongs to another campaign: '{}'; {} belongs to '{}'",
                               file.path, typed_text(campaign), first.path,
                               typed_text(first.content.campaign)));
}

void MergedJournals::add_rows(std::size_t file) {
  for (const auto& [key, row] : files_[file].content.rows) {
    const auto [at, is_new] = file_of_.try_emplace(key, file);
    if (!is_new && lasting(*find(key)) != lasting(row))
      throw BadInput(fmt::format("{} and {} have different rows for the case {}",
                                 files_[at->second].path, files_[file].path, shortened(key)));
  }
}

std::string MergedJournals::verb() const {
  return files_.front().content.campaign["arguments"].front().get<std::string>();
}

std::vector<std::string> MergedJournals::arguments() const {
  std::vector<std::string> words;
  for (const Json& word : files_.front().content.campaign["arguments"])
    words.push_back(word.get<std::string>());
  words.erase(words.begin());
  return words;
}

unsigned MergedJournals::processes() const {
  const Json& settings = files_.front().content.settings;
  const auto found = settings.find("processes");
  const bool is_given = found != settings.end() && found->is_number_unsigned();
  return is_given ? found->get<unsigned>() : 1;
}

void MergedJournals::check(const Json& settings) const {
  for (const File& file : files_) refuse_other_settings(file.path, file.content.settings, settings);
}

const Json* MergedJournals::find(const std::string& key) const {
  const auto found = file_of_.find(key);
  return found == file_of_.end() ? nullptr : &files_[found->second].content.rows.at(key);
}

void MergedJournals::add(const std::string& key, const Json&) {
  throw RunFailed("a merged campaign ran the case " + one_line(key));
}

/// The shard of the case with this place and its journals, e.g. "shard 2/3, b.journal"; empty if
/// the journals have different numbers of shards.
std::string MergedJournals::whereabouts(std::size_t place) const {
  const Shard division = parse_shard(files_.front().shard());
  Shard shard{1, division.count};
  while (!shard.has(place)) ++shard.index;
  std::string journals;
  for (const File& file : files_) {
    if (parse_shard(file.shard()).count != division.count) return "";
    if (file.shard() == shard.text()) journals += (journals.empty() ? "" : " ") + file.path;
  }
  return fmt::format("shard {}, {}", shard.text(),
                     journals.empty() ? "no journal given" : journals);
}

void MergedJournals::expect(std::span<const CampaignCase> cases) const {
  std::vector<const CampaignCase*> missing;
  for (const CampaignCase& one : cases)
    if (find(one.key()) == nullptr) missing.push_back(&one);
  if (missing.empty()) return;
  std::map<std::string, std::size_t> by_shard;
  for (const CampaignCase* one : missing) ++by_shard[whereabouts(one->place)];
  std::string text;
  for (const auto& [where, count] : by_shard)
    if (!where.empty()) text += fmt::format("; missing from {}: {}", where, count);
  throw BadInput(fmt::format("{} of {} cases {} not finished; the first one: {}{}", missing.size(),
                             cases.size(), missing.size() == 1 ? "is" : "are",
                             text_of_case(*missing.front()), text));
}

}  // namespace toroid
