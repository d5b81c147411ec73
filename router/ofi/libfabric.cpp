#include "router/ofi/libfabric.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <signal.h>

#include <array>
#include <cstddef>

#include "hal/check.hpp"

namespace toroid::ofi {
namespace {

template <typename Function>
void find(void* object, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(object, name));
  if (function == nullptr) throw RunFailed(fmt::format("libfabric has no {}", name));
}

/// Restores the signal handlers of crashes: some providers install handlers that print pages and
/// leave files behind.
class CrashHandlers {
 public:
  CrashHandlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], nullptr, &before_[i]);
  }
  ~CrashHandlers() {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
      ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  CrashHandlers(const CrashHandlers&) = delete;

 private:
  static constexpr std::array kSignals = {SIGILL, SIGABRT, SIGBUS, SIGSEGV};
  std::array<struct sigaction, kSignals.size()> before_{};
};

Library load() {
  const CrashHandlers kept;
  void* const object = ::dlopen("libfabric.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (object == nullptr) throw RunFailed(fmt::format("cannot load libfabric: {}", ::dlerror()));
  Library library{};
  find(object, "fi_getinfo", library.getinfo);
  find(object, "fi_freeinfo", library.freeinfo);
  find(object, "fi_dupinfo", library.dupinfo);
  find(object, "fi_fabric", library.fabric);
  find(object, "fi_strerror", library.strerror);
  find(object, "fi_version", library.version);
  return library;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace toroid::ofi
