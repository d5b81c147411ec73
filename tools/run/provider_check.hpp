// Refuses unknown and unsafe libfabric providers.
#pragma once

#include <string>

namespace toroid {

/// Throws BadInput if neither `ofi` nor this host's libfabric has a provider of that name. The
/// message has the nearest name and all known names.
void refuse_unknown_provider(const std::string& name);
/// Throws BadInput if strangers on the network can end a run with this provider and `unsafe` is
/// false. The message has the reason.
void refuse_unsafe_provider(const std::string& name, bool unsafe);

}  // namespace toroid
