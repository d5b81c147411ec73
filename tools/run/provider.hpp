// Refuses unknown and unsafe libfabric providers.
#pragma once

#include <string>

namespace toroid {

/// Throws BadInput, with the nearest and all known names, if neither `ofi` nor this host's
/// libfabric has a provider of that name.
void refuse_unknown_provider(const std::string& name);
/// Throws BadInput, with the reason, if strangers on the network can end a run with this provider
/// and `unsafe` is false.
void refuse_unsafe_provider(const std::string& name, bool unsafe);

}  // namespace toroid
