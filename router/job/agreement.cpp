#include "router/job/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>

#include "hal/check.hpp"
#include "hal/hash64.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

/// What a process says in the first collective.
struct Summary {
  std::uint64_t hash = 0;
  std::uint64_t refuses = 0;
};

Statement unpacked(const Blob& blob, const std::string& sender) {
  try {
    const Message message = decode(blob);
    if (message.contains("why")) return {{}, message.at("why").get<std::string>()};
    return {message.at("values").get<NamedHashes>(), std::nullopt};
  } catch (const std::exception&) {
    throw RunFailed(sender + " sent something other than the values to agree on");
  }
}

/// What the processes have said, by rank, without the lost ones.
using Statements = std::vector<std::pair<unsigned, Statement>>;

Statements unpacked(const std::vector<Blob>& blobs, const NameOf& name_of) {
  Statements all;
  for (unsigned rank = 0; rank < blobs.size(); ++rank)
    if (!blobs[rank].empty()) all.emplace_back(rank, unpacked(blobs[rank], name_of(rank)));
  return all;
}

/// The first refusal; without the process's name if all processes say the same.
std::string refusal_in(const Statements& all, const NameOf& name_of) {
  const auto refuses = [](const auto& one) { return one.second.refusal.has_value(); };
  const auto first = std::ranges::find_if(all, refuses);
  if (first == all.end()) return {};
  const std::string& why = *first->second.refusal;
  const bool is_shared =
      std::ranges::all_of(all, [&](const auto& one) { return one.second.refusal == why; });
  return is_shared ? why : fmt::format("{}: {}", name_of(first->first), why);
}

/// How the values of two processes differ; empty if they do not.
std::string difference(const Statements::value_type& one, const Statements::value_type& other,
                       const NameOf& name_of) {
  const NamedHashes& mine = one.second.values;
  const NamedHashes& theirs = other.second.values;
  for (const auto& [name, hash] : mine)
    if (const auto found = theirs.find(name); found == theirs.end() || found->second != hash)
      return fmt::format("{} {} {} {} {}", one_line(name),
                         found == theirs.end() ? "is an input of" : "differs between",
                         name_of(one.first), found == theirs.end() ? "but not of" : "and",
                         name_of(other.first));
  return theirs.size() > mine.size() ? difference(other, one, name_of) : "";
}

void compare(Job& job, const Statement& mine) {
  if (do_agree(job.all_gather(summary_of(mine)))) return;
  const auto statements = job.all_gather(packed(mine));
  throw BadInput(disagreement(statements, [&](unsigned rank) { return job.name(rank); }));
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

Blob summary_of(const Statement& statement) {
  return blob_of(Summary{hash64(packed(statement)), statement.refusal ? 1u : 0u});
}

bool do_agree(const std::vector<Blob>& summaries) {
  const auto agrees = [&](const Blob& one) { return one.empty() || one == summaries[0]; };
  return std::ranges::all_of(summaries, agrees) && value_of<Summary>(summaries[0]).refuses == 0;
}

Blob packed(const Statement& statement) {
  return statement.refusal ? encode({{"why", *statement.refusal}})
                           : encode({{"values", statement.values}});
}

std::string disagreement(const std::vector<Blob>& statements, const NameOf& name_of) {
  const Statements all = unpacked(statements, name_of);
  if (std::string why = refusal_in(all, name_of); !why.empty()) return why;
  for (const auto& one : all)
    if (std::string why = difference(all.front(), one, name_of); !why.empty()) return why;
  throw RunFailed("the processes say that their inputs differ, but name no difference");
}

void agree(Job& job, const NamedHashes& mine) {
  compare(job, {.values = mine});
}

void refuse(Job& job, const std::string& why) {
  compare(job, {.refusal = why});
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
