// A process's connection with its launcher, by PMIx.
#pragma once

#include <pmix_common.h>

#include <cstdint>
#include <optional>

#include "router/job/blob.hpp"
#include "router/job/launcher_events.hpp"

namespace toroid::job {

/// A session with PMIx, from PMIx_Init to PMIx_Finalize. There is one at a time in a process. All
/// throw RunFailed. **Events:** a launcher sends them only as long as the session is open. Those
/// that send none (Open MPI 4's mpirun, Slurm) take the end of a process with an open session for
/// the end of the job. Owned by the membership.
class PmixSession final : public LauncherEvents {
 public:
  PmixSession();
  ~PmixSession() override;
  PmixSession(const PmixSession&) = delete;
  PmixSession& operator=(const PmixSession&) = delete;

  unsigned rank() const { return self_.rank; }
  /// Whether this launcher is one that sends events: PRRTE (prterun, Open MPI 5's mpirun).
  bool sends_events() const;
  /// A number that the launcher knows about the whole job; 0 if it does not.
  std::uint32_t of_job(const char* name) const;

  /// Makes `bytes` known to the others, once they have called exchange(), too.
  void publish(const char* name, const Blob& bytes) const;
  void exchange() const;
  /// What process 0 has published; none: nothing of that name.
  std::optional<Blob> published_by_0(const char* name) const;

  void listen(Died died) override;
  void stop(bool failed) noexcept override;

 private:
  pmix_proc_t process(pmix_rank_t rank) const;

  pmix_proc_t self_{};
  bool abandoned_ = false;  ///< is left to the end of the process
};

}  // namespace toroid::job
