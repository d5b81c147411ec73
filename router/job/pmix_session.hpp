// A process's connection with its launcher, by PMIx.
#pragma once

#include <pmix_common.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "router/job/blob.hpp"
#include "router/job/launcher_events.hpp"

namespace toroid::job {

/// A session with PMIx, from PMIx_Init to PMIx_Finalize. There is one at a time in a process.
/// Launchers send events only as long as it is open. All throw RunFailed. Owned by the membership.
class PmixSession final : public LauncherEvents {
 public:
  PmixSession();
  ~PmixSession() override;
  PmixSession(const PmixSession&) = delete;
  PmixSession& operator=(const PmixSession&) = delete;

  unsigned rank() const { return self_.rank; }
  /// A number that the launcher knows about the whole job; 0 if it does not.
  std::uint32_t of_job(const char* name) const;

  /// Makes `bytes` known to the others, once they have called exchange(), too.
  void publish(const char* name, const Blob& bytes) const;
  void exchange() const;
  /// What process 0 has published; none: nothing of that name.
  std::optional<Blob> published_by_0(const char* name) const;

  void listen(Died died) override;
  void stop() noexcept override;

 private:
  static void hear(std::size_t handler, pmix_status_t status, const pmix_proc_t* source,
                   pmix_info_t* infos, std::size_t count, pmix_info_t* results,
                   std::size_t results_count, pmix_event_notification_cbfunc_fn_t done,
                   void* context);
  void tell(pmix_status_t status, const pmix_proc_t& of);
  pmix_proc_t process(pmix_rank_t rank) const;

  pmix_proc_t self_{};
  std::mutex mutex_;  ///< guards died_; held while it is called
  Died died_;
  std::optional<std::size_t> handler_;  ///< PMIx's number of it
};

}  // namespace toroid::job
