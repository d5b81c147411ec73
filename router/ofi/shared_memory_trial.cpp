#include "router/ofi/shared_memory_trial.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "hal/check.hpp"
#include "router/job/key.hpp"
#include "router/ofi/dev_shm_cleanup.hpp"

namespace toroid::ofi {
namespace {

/// What a process tells the others: where its number stands, in a file and in its memory.
struct TrialFile {
  std::array<char, 128> name{};  ///< in /dev/shm; ends with a zero byte
  std::uint64_t number = 0;
  std::uint64_t address = 0;  ///< of the number in the process's memory
  std::uint64_t pid_namespace = 0;
  int error = 0;  ///< why it could make no file; 0 if it has made one
};

int open_in_dev_shm(const std::string& name, int flags) {
  return ::open((kDevShm + name).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
}

/// This process's file, as libfabric would make its segment. Removed by the destructor.
class OwnTrialFile {
 public:
  OwnTrialFile(std::uint64_t session, unsigned rank) : number_(random_word()) {
    const std::string name = new_shared_file_name(session, rank);
    name.copy(told_.name.data(), told_.name.size() - 1);
    told_.number = number_;
    told_.address = reinterpret_cast<std::uintptr_t>(&number_);
    told_.pid_namespace = pid_namespace();
    const int file = open_in_dev_shm(name, O_CREAT | O_EXCL);
    if (file < 0 || ::write(file, &number_, sizeof number_) != sizeof number_) told_.error = errno;
    if (file >= 0) ::close(file);
  }
  ~OwnTrialFile() { ::unlink((kDevShm + std::string(told_.name.data())).c_str()); }
  OwnTrialFile(const OwnTrialFile&) = delete;

  const TrialFile& told() const { return told_; }

 private:
  std::uint64_t number_;  ///< other processes may read it here
  TrialFile told_;
};

/// Opens another process's file. Returns 0 if it holds the process's number, else the error.
int open_theirs(const TrialFile& theirs) {
  const std::string name(theirs.name.data(), ::strnlen(theirs.name.data(), theirs.name.size()));
  if (!name.starts_with("toroid-") || name.find('/') != std::string::npos) return EINVAL;
  const int file = open_in_dev_shm(name, 0);
  if (file < 0) return errno;
  std::uint64_t number = 0;
  const bool is_theirs = ::read(file, &number, sizeof number) == sizeof number;
  ::close(file);
  return is_theirs && number == theirs.number ? 0 : ENOENT;
}

/// Whether this process may read the memory of another one.
bool can_read_memory(long process, const TrialFile& theirs) {
  std::uint64_t number = 0;
  const iovec to{&number, sizeof number};
  const iovec from{reinterpret_cast<void*>(theirs.address), sizeof number};
  return ::process_vm_readv(static_cast<pid_t>(process), &to, 1, &from, 1, 0) == sizeof number &&
         number == theirs.number;
}

/// Why this process cannot share memory with process `other`; empty if it can.
std::string why_not_with(const Job& job, unsigned other, const TrialFile& mine,
                         const TrialFile& theirs) {
  if (theirs.error != 0)
    return fmt::format("{} cannot make a file in /dev/shm: {}", job.name(other),
                       ::strerrordesc_np(theirs.error));
  if (mine.pid_namespace != theirs.pid_namespace)
    return fmt::format("{} and {} are in different pid namespaces", job.name(job.rank()),
                       job.name(other));
  const int error = open_theirs(theirs);
  if (error == 0) return {};
  if (error == ENOENT)
    return fmt::format("{} and {} have different file systems in /dev/shm", job.name(job.rank()),
                       job.name(other));
  return fmt::format("{} cannot open the file that {} has made in /dev/shm: {}",
                     job.name(job.rank()), job.name(other), ::strerrordesc_np(error));
}

TrialFindings try_all(const Job& job, const TrialFile& mine, const std::vector<Blob>& files) {
  TrialFindings found{std::string(job.size(), TrialFindings::kReads), {}};
  for (unsigned p = 0; p < job.size() && found.why.empty(); ++p) {
    const auto theirs = value_of<TrialFile>(files[p]);
    found.why = why_not_with(job, p, mine, theirs);
    if (found.why.empty() && p != job.rank() && !can_read_memory(job.process(p).pid, theirs))
      found.reads[p] = TrialFindings::kCannotRead;
  }
  return found;
}

/// Why not all processes can share memory, from the findings of all; empty if they can.
std::string decide(const std::vector<TrialFindings>& all, const job::NameOf& name_of) {
  for (const TrialFindings& found : all)
    if (!found.why.empty()) return found.why;
  std::size_t refused = 0;
  std::string example;
  for (unsigned p = 0; p < all.size(); ++p)
    for (unsigned q = 0; q < all.size(); ++q) {
      if (all[p].reads[q] == TrialFindings::kReads) continue;
      if (refused++ == 0)
        example = fmt::format("{} may not access the memory of {}, as others may (ptrace)",
                              name_of(p), name_of(q));
    }
  return refused == all.size() * (all.size() - 1) ? "" : example;
}

/// The findings that a process of a job of `size` processes has sent.
TrialFindings unpacked(const Blob& told, std::size_t size, const std::string& sender) {
  const std::string text = text_of(told);
  if (text.size() < size) throw RunFailed(sender + " sent a result of a trial that is too short");
  return {text.substr(0, size), one_line(text.substr(size))};
}

}  // namespace

Blob packed(const TrialFindings& findings) {
  const std::string told = findings.reads + findings.why;
  const auto bytes = std::as_bytes(std::span(told));
  return {bytes.begin(), bytes.end()};
}

std::string why_memory_is_not_shared(const std::vector<Blob>& findings,
                                     const job::NameOf& name_of) {
  std::vector<TrialFindings> all;
  for (unsigned p = 0; p < findings.size(); ++p)
    all.push_back(unpacked(findings[p], findings.size(), name_of(p)));
  return decide(all, name_of);
}

std::string why_memory_is_not_shared(Job& job) {
  remove_shared_files_of_the_dead();
  const OwnTrialFile mine(job.session(), job.rank());
  const auto files = job.all_gather(blob_of(mine.told()));
  const auto findings = job.all_gather(packed(try_all(job, mine.told(), files)));
  return why_memory_is_not_shared(findings, [&](unsigned rank) { return job.name(rank); });
}

}  // namespace toroid::ofi
