// Access to libfabric. The library is loaded when it is first needed. Loading takes 0.2 s if it was
// built with PSM, and a run of a single process should not wait for that.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <signal.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>

namespace toroid::ofi {

/// The exported functions that are used here; all others are reached through libfabric's objects.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;
};

/// Saves the signal handlers and restores them in its destructor, because some providers install
/// handlers when they are loaded or opened: handlers that print pages and leave files behind, that
/// end the process silently when it is interrupted, or that take away the names of segments in
/// /dev/shm, which others may still have to open. SIGINT and SIGTERM are blocked while this object
/// exists.
class KeptSignalHandlers {
 public:
  KeptSignalHandlers();
  ~KeptSignalHandlers();
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;

 private:
  static constexpr std::array kSignals = {SIGILL, SIGABRT, SIGBUS, SIGSEGV, SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
  sigset_t mask_{};
};

/// The library, which stays loaded. Throws RunFailed if it cannot be loaded.
const Library& library();

/// The library's version, "libfabric 1.17". Throws RunFailed if it cannot be loaded.
std::string library_name();

/// Throws RunFailed if memory is limited and fewer than `mib` MiB are left, because libfabric
/// crashes if it cannot allocate what it needs. `what` ends "libfabric, which may take 32 MiB ...".
void expect_room(std::size_t mib, std::string_view what);

/// The variables by which the user has changed libfabric's behaviour, as the end of a message about
/// a failure: " (set: FI_PROVIDER=tcp FI_TCP_IFACE=eth0)"; empty if there are none. Leaves out what
/// toroid sets itself (set_unless_set()) and what only concerns libfabric's log.
std::string user_settings();

/// Sets a variable that libfabric reads, unless the user has set it.
void set_unless_set(const char* name, const char* value);

/// Makes library() return `other`, or the real library again if `other` is null. REQUIRES: no
/// object of the current library is open, and no other thread calls library().
void replace_library(const Library* other);

}  // namespace toroid::ofi
