#include "tools/run/provider_check.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "hal/check.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/ofi.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

/// The known provider whose name is nearest; empty if none is near. Compares only the parts before
/// ';', so that "tcp" is near "tcp;ofi_rxm".
std::string_view nearest_provider(std::string_view name) {
  std::array<std::string_view, kProviderNames.size()> cores;
  std::ranges::transform(kProviderNames, cores.begin(),
                         [](std::string_view whole) { return whole.substr(0, whole.find(';')); });
  const std::string_view nearest = nearest_name(name.substr(0, name.find(';')), cores);
  if (nearest.empty()) return {};
  return kProviderNames[static_cast<std::size_t>(std::ranges::find(cores, nearest) -
                                                 cores.begin())];
}

}  // namespace

// Querying libfabric takes a tenth of a second, so only unknown names are looked up. A build
// without `ofi` refuses later, with another message.
void refuse_unknown_provider(const std::string& name) {
  if (std::ranges::find(kProviderNames, name) != kProviderNames.end() || !has_ofi()) return;
  const OfiHere here = ofi_here();
  if (std::ranges::find(here.providers, name, &ProviderState::name) != here.providers.end()) return;
  const std::string_view nearest = nearest_provider(name);
  throw BadInput(fmt::format("unknown provider '{}';{} known: {}", name,
                             nearest.empty() ? "" : fmt::format(" did you mean '{}'?", nearest),
                             fmt::join(kProviderNames, ", ")));
}

void refuse_unsafe_provider(const std::string& name, bool unsafe) {
  const std::string_view why = why_unsafe_provider(name);
  if (!why.empty() && !unsafe)
    throw BadInput(fmt::format("provider '{}' needs --unsafe-provider: {}", name, why));
}

}  // namespace toroid
