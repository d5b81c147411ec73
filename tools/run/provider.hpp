// Refuses providers of libfabric that the user may not have.
#pragma once

#include <string>

namespace toroid {

/// Throws BadInput where neither `ofi` nor this host's libfabric has a provider of that name, with
/// the nearest and those that exist.
void refuse_unknown_provider(const std::string& name);
/// Throws BadInput, with the reason, where the provider is one that strangers on the network can
/// end and `unsafe` does not permit that.
void refuse_unsafe_provider(const std::string& name, bool unsafe);

}  // namespace toroid
