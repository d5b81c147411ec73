#include "router/ofi/libfabric.hpp"

#include <fmt/format.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace toroid::ofi {
namespace {

constexpr std::uint32_t kApi = FI_VERSION(1, 15);

struct Known {
  const char* name;
  bool over_ip;  ///< has one endpoint per interface: the address chooses it
  const char* use;
};
/// In order of preference between hosts.
constexpr Known kKnown[] = {
    {"cxi", false, "HPE Slingshot"},
    {"efa", false, "AWS Elastic Fabric Adapter"},
    {"psm3", false, "Intel Ethernet and Omni-Path"},
    {"psm2", false, "Intel Omni-Path"},
    {"verbs;ofi_rxm", false, "InfiniBand and RoCE"},
    {"tcp;ofi_rxm", true, "any network with TCP"},
    {"net", true, "any network with TCP, newer and less tried"},
    {"udp;ofi_rxd", true, "any network with UDP, slow"},
    {"sockets", true, "any network with TCP, for tests"},
};
constexpr Known kShm = {"shm", false, "processes of one host"};

const Known* find(const std::string& name) {
  if (name == kShm.name) return &kShm;
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const Known& k) { return name == k.name; });
  return known == std::end(kKnown) ? nullptr : known;
}

Info hints_for(const std::string& name) {
  Info hints(::fi_allocinfo());
  if (hints == nullptr) throw std::bad_alloc();
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->fabric_attr->prov_name = ::strdup(name.c_str());
  return hints;
}

}  // namespace

std::vector<std::string> provider_names(Distance distance) {
  std::vector<std::string> names;
  if (distance == Distance::one_host) names.push_back(kShm.name);
  for (const Known& known : kKnown) names.push_back(known.name);
  return names;
}

Candidate try_provider(const std::string& name, const std::string& address) {
  const Known* known = find(name);
  if (known == nullptr) return {name, nullptr, "has no reliable datagrams of its own"};
  const Info hints = hints_for(name);
  fi_info* found = nullptr;
  const bool by_address = known->over_ip && !address.empty();
  const int error = ::fi_getinfo(kApi, by_address ? address.c_str() : nullptr, nullptr,
                                 by_address ? FI_SOURCE : 0, hints.get(), &found);
  Info info(found);
  if (error == -FI_ENODATA)
    return {name, nullptr,
            by_address ? fmt::format("no endpoint of it at {}", address) : "no device for it here"};
  if (error != 0) return {name, nullptr, ::fi_strerror(-error)};
  return {name, std::move(info), known->use};
}

std::vector<Candidate> all_providers(const std::string& address) {
  std::vector<Candidate> candidates;
  for (const std::string& name : provider_names(Distance::one_host))
    candidates.push_back(try_provider(name, address));
  fi_info* found = nullptr;
  if (::fi_getinfo(kApi, nullptr, nullptr, FI_PROV_ATTR_ONLY, nullptr, &found) != 0)
    return candidates;
  const Info all(found);
  for (const fi_info* info = all.get(); info != nullptr; info = info->next) {
    const std::string name = info->fabric_attr->prov_name;
    const bool listed = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
      return c.name == name || c.name.starts_with(name + ";") || c.name.ends_with(";" + name);
    });
    if (!listed) candidates.push_back(try_provider(name, address));
  }
  return candidates;
}

std::size_t best_frame_bytes(const std::string& provider) {
  if (provider == kShm.name) return std::size_t{64} << 10;
  return std::size_t{256} << 10;
}

}  // namespace toroid::ofi
