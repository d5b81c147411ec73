// The names of libfabric's providers.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace toroid {

/// The providers that `ofi` knows how to use; the libfabric of a host has some of them.
inline constexpr std::array<std::string_view, 10> kProviderNames = {
    "shm",           "cxi",         "efa", "psm3",        "psm2",
    "verbs;ofi_rxm", "tcp;ofi_rxm", "net", "udp;ofi_rxd", "sockets"};

/// Throws BadInput where neither `ofi` nor this host's libfabric has a provider of that name, with
/// the nearest and those that exist.
void refuse_unknown_provider(const std::string& name);
/// Throws BadInput, with the reason, where the provider is one that strangers on the network can
/// end and `unsafe` does not permit that.
void refuse_unsafe_provider(const std::string& name, bool unsafe);

}  // namespace toroid
