// Collective comparisons of the values that all processes of a job must have.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/job/process_info.hpp"

namespace toroid::job {

/// Hashes by the names of the values. Values go over the wire as 64-bit hashes (hal/hash64.hpp).
using NamedHashes = std::map<std::string, std::uint64_t>;

/// What a process says in an agreement: its values or, in their place, why it refuses.
struct Statement {
  NamedHashes values{};
  std::optional<std::string> refusal{};
};

// The rules of an agreement, as functions of the bytes that all processes have gathered, by rank,
// so that all derive the same. A lost process has sent nothing.
/// What a process sends first: 16 bytes, which are equal on all processes that agree.
Blob summary_of(const Statement& statement);
/// Whether all agree. If not, all send their statements.
bool do_agree(const std::vector<Blob>& summaries);
/// What a process sends then.
Blob packed(const Statement& statement);
/// Why the processes do not agree. Throws RunFailed if they do, or if a process has sent something
/// else.
std::string disagreement(const std::vector<Blob>& statements, const NameOf& name_of);

/// Job::agree(): one collective of summaries if all agree, and one of statements if they do not, so
/// that all throw the same text.
void agree(Job& job, const NamedHashes& mine);
/// Job::refuse().
[[noreturn]] void refuse(Job& job, const std::string& why);

/// Compares items such as "torus 4x4x4", of which every process has the same number in the same
/// order, with those of process 0. A collective call. If an item differs, throws BadInput with the
/// same text on every process; it names the item, both values and both processes, and ends with
/// `advice`.
void refuse_different(Job& job, const std::vector<std::string>& items, std::string_view advice);

}  // namespace toroid::job
