#include "router/ofi/libfabric.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>

#include "hal/check.hpp"
#include "hal/memory_room.hpp"
#include "hal/shared_library.hpp"

namespace toroid::ofi {
namespace {

Library load() {
  const KeptSignalHandlers kept;
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

/// The values that set_unless_set() prefers.
std::map<std::string, std::string, std::less<>>& own_settings() {
  static std::map<std::string, std::string, std::less<>> settings;
  return settings;
}

bool is_own_setting(std::string_view variable) {
  const std::size_t equals = variable.find('=');
  const auto own = own_settings().find(variable.substr(0, equals));
  return own != own_settings().end() && own->second == variable.substr(equals + 1);
}

}  // namespace

KeptSignalHandlers::KeptSignalHandlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &before_[i]);
  sigset_t held;
  ::sigemptyset(&held);
  for (const int number : {SIGINT, SIGTERM}) ::sigaddset(&held, number);
  ::pthread_sigmask(SIG_BLOCK, &held, &mask_);
}

KeptSignalHandlers::~KeptSignalHandlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

const Library& library() {
  if (replacement != nullptr) return *replacement;
  static const Library loaded = load();
  return loaded;
}

std::string library_name() {
  const std::uint32_t version = library().version();
  return fmt::format("libfabric {}.{}", FI_MAJOR(version), FI_MINOR(version));
}

void expect_room(std::size_t mib, std::string_view what) {
  if (memory_is_limited() && !has_room_for(mib << 20))
    throw RunFailed(fmt::format(
        "not enough memory for libfabric, which may take {} MiB {} (ulimit -v, ulimit -d)", mib,
        what));
}

std::string user_settings() {
  std::string settings;
  for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    if (!variable.starts_with("FI_") || variable.starts_with("FI_LOG_") || is_own_setting(variable))
      continue;
    settings += fmt::format(" {}", shortened(variable));
  }
  return settings.empty() ? settings : fmt::format(" (set:{})", settings);
}

void set_unless_set(const char* name, const char* value) {
  ::setenv(name, value, 0);
  own_settings()[name] = value;
}

void replace_library(const Library* other) {
  replacement = other;
}

}  // namespace toroid::ofi
