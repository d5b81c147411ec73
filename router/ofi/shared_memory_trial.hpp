// The trial whether the processes of a job can share memory by libfabric's provider `shm`.
#pragma once

#include <string>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/job/process_info.hpp"

namespace toroid::ofi {

/// Why the processes cannot use the provider `shm` with each other, the same text on all of them;
/// empty if they can. A collective call of the job. What the provider requires, and what is tried
/// here:
///  1. Every process can open the files that the others make in /dev/shm. Each makes one, which is
///     removed before this function returns.
///  2. All are in one pid namespace: the provider moves long messages to and from the process whose
///     id is written in a segment.
///  3. Every process may access the memory of every other (process_vm_readv), or none may: the
///     provider asks once and uses the answer for all, and if it is no, copies through the segment.
std::string why_memory_is_not_shared(Job& job);

/// What a process has found out about the others.
struct TrialFindings {
  static constexpr char kReads = 'r', kCannotRead = '-';
  std::string reads;  ///< a character per process: whether its memory can be read
  std::string why;    ///< why memory is not shared with one of them; empty if it is
};
Blob packed(const TrialFindings& findings);
/// The decision of why_memory_is_not_shared(), from the packed findings of all processes by rank.
std::string why_memory_is_not_shared(const std::vector<Blob>& findings, const job::NameOf& name_of);

}  // namespace toroid::ofi
