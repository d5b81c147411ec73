#include "router/job/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "hal/check.hpp"
#include "hal/hash64.hpp"
#include "router/job/blob.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

/// What a process says in the first collective of agree().
struct Summary {
  std::uint64_t hash = 0;
  std::uint64_t refuses = 0;
};

/// What a process says in the second collective: its values, or why it refuses.
struct Statement {
  NamedHashes values;
  std::optional<std::string> refusal;
};

Statement statement_of(const Job& job, unsigned rank, const Blob& blob) {
  try {
    const Message message = decode(blob);
    if (message.contains("why")) return {{}, message.at("why").get<std::string>()};
    return {message.at("values").get<NamedHashes>(), std::nullopt};
  } catch (const std::exception&) {
    throw RunFailed(job.name(rank) + " sent something other than the values to agree on");
  }
}

/// What the processes have said, by rank. A lost process has said nothing.
using Statements = std::vector<std::pair<unsigned, Statement>>;

Statements statements_of(const Job& job, const std::vector<Blob>& blobs) {
  Statements all;
  for (unsigned rank = 0; rank < blobs.size(); ++rank)
    if (!blobs[rank].empty()) all.emplace_back(rank, statement_of(job, rank, blobs[rank]));
  return all;
}

/// The first refusal; without the process's name if all processes say the same.
std::string refusal_in(const Job& job, const Statements& all) {
  const auto refuses = [](const auto& one) { return one.second.refusal.has_value(); };
  const auto first = std::ranges::find_if(all, refuses);
  if (first == all.end()) return {};
  const std::string& why = *first->second.refusal;
  const bool is_shared =
      std::ranges::all_of(all, [&](const auto& one) { return one.second.refusal == why; });
  return is_shared ? why : fmt::format("{}: {}", job.name(first->first), why);
}

/// How the values of two processes differ; empty if they do not.
std::string difference(const Job& job, const Statements::value_type& one,
                       const Statements::value_type& other) {
  const NamedHashes& mine = one.second.values;
  const NamedHashes& theirs = other.second.values;
  for (const auto& [name, hash] : mine)
    if (const auto found = theirs.find(name); found == theirs.end() || found->second != hash)
      return fmt::format("{} {} {} {} {}", one_line(name),
                         found == theirs.end() ? "is an input of" : "differs between",
                         job.name(one.first), found == theirs.end() ? "but not of" : "and",
                         job.name(other.first));
  return theirs.size() > mine.size() ? difference(job, other, one) : "";
}

/// Why the processes do not agree. Throws RunFailed if they do.
std::string disagreement(const Job& job, const Statements& all) {
  if (std::string why = refusal_in(job, all); !why.empty()) return why;
  for (const auto& one : all)
    if (std::string why = difference(job, all.front(), one); !why.empty()) return why;
  throw RunFailed("the processes say that their inputs differ, but name no difference");
}

void compare(Job& job, const Message& mine, bool refuses) {
  const Blob statement = encode(mine);
  const auto sums = job.all_gather(blob_of(Summary{hash64(statement), refuses ? 1u : 0u}));
  const bool is_equal =
      std::ranges::all_of(sums, [&](const Blob& sum) { return sum.empty() || sum == sums[0]; });
  if (is_equal && !refuses) return;
  throw BadInput(disagreement(job, statements_of(job, job.all_gather(statement))));
}

constexpr char kItemEnd = '\0';  ///< ends an item in the text that a process sends

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += item + kItemEnd;
  return text;
}

/// The first item in which `theirs` differs from `mine`, as a part of `theirs`.
std::string_view first_difference(std::string_view theirs, std::string_view mine) {
  const auto place = std::ranges::mismatch(theirs, mine).in1 - theirs.begin();
  const auto begin = theirs.substr(0, static_cast<std::size_t>(place)).rfind(kItemEnd) + 1;
  return theirs.substr(begin, theirs.find(kItemEnd, begin) - begin);
}

}  // namespace

void agree(Job& job, const NamedHashes& mine) {
  compare(job, {{"values", mine}}, false);
}

void refuse(Job& job, const std::string& why) {
  compare(job, {{"why", why}}, true);
  throw BadInput(why);
}

void refuse_different(Job& job, const std::vector<std::string>& items, std::string_view advice) {
  const std::string mine = joined(items);
  const auto all = job.all_gather(std::as_bytes(std::span(mine)));
  const std::string first = text_of(all[0]);
  for (unsigned p = 1; p < job.size(); ++p) {
    const std::string other = text_of(all[p]);
    if (other != first)
      throw BadInput(fmt::format("{} has {}, but {} has {}; {}", job.name(p),
                                 one_line(std::string(first_difference(other, first))), job.name(0),
                                 one_line(std::string(first_difference(first, other))), advice));
  }
}

}  // namespace toroid::job
