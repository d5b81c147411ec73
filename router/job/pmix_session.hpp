// A process's connection with its launcher through PMIx.
#pragma once

#include <pmix_common.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "router/job/blob.hpp"
#include "router/job/launcher_events.hpp"

namespace toroid::job {

/// A session with PMIx, from PMIx_Init to PMIx_Finalize. A process has at most one at a time. All
/// functions may throw RunFailed. **Events:** a launcher sends events only while the session is
/// open. Launchers that send none (Open MPI 4's mpirun, Slurm) end the job if a process ends with
/// an open session. Owned by the bootstrap.
class PmixSession final : public LauncherEvents {
 public:
  PmixSession();
  ~PmixSession() override;
  PmixSession(const PmixSession&) = delete;
  PmixSession& operator=(const PmixSession&) = delete;

  unsigned rank() const { return self_.rank; }
  /// Whether this launcher sends events: PRRTE (prterun, Open MPI 5's mpirun) does.
  bool sends_events() const;
  /// A number from the launcher about the whole job; 0 if unknown.
  std::uint32_t of_job(const char* name) const;

  /// Makes `bytes` available to the other processes after all processes have called exchange().
  void publish(const char* name, const Blob& bytes) const;
  /// Waits until all processes have called it, at most for `patience`. Names a process that has
  /// not.
  void exchange(std::chrono::seconds patience) const;
  /// The bytes that process 0 has published under `name`; nullopt if there are none.
  std::optional<Blob> published_by_0(const char* name) const;

  void listen(Died died) override;
  void stop(bool failed) noexcept override;

 private:
  pmix_proc_t process(pmix_rank_t rank) const;
  std::string absent_process() const;

  pmix_proc_t self_{};
  bool abandoned_ = false;  ///< the session stays open until the process ends
};

}  // namespace toroid::job
