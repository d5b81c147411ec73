// Collective comparisons of the values that all processes of a job must have.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "router/job/job.hpp"

namespace toroid::job {

/// Hashes by the names of the values. Values go over the wire as 64-bit hashes (hal/hash64.hpp).
using NamedHashes = std::map<std::string, std::uint64_t>;

/// Job::agree(). One collective of 16 bytes per process if all agree; if not, a second one in which
/// all send their names and hashes, so that all throw the same text.
void agree(Job& job, const NamedHashes& mine);
/// Job::refuse().
[[noreturn]] void refuse(Job& job, const std::string& why);

/// Compares items such as "torus 4x4x4", of which every process has the same number in the same
/// order, with those of process 0. A collective call. If an item differs, throws BadInput with the
/// same text on every process; it names the item, both values and both processes, and ends with
/// `advice`.
void refuse_different(Job& job, const std::vector<std::string>& items, std::string_view advice);

}  // namespace toroid::job
