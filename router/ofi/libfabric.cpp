#include "router/ofi/libfabric.hpp"

#include <signal.h>

#include <array>
#include <cstddef>

#include "hal/shared_library.hpp"

namespace toroid::ofi {
namespace {

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
  const SharedLibrary shared("libfabric.so.1", "libfabric", Symbols::shared_with_all);
  Library library{};
  shared.find("fi_getinfo", library.getinfo);
  shared.find("fi_freeinfo", library.freeinfo);
  shared.find("fi_dupinfo", library.dupinfo);
  shared.find("fi_fabric", library.fabric);
  shared.find("fi_strerror", library.strerror);
  shared.find("fi_version", library.version);
  return library;
}

const Library* replacement = nullptr;

}  // namespace

const Library& library() {
  if (replacement != nullptr) return *replacement;
  static const Library loaded = load();
  return loaded;
}

void replace_library(const Library* other) {
  replacement = other;
}

}  // namespace toroid::ofi
