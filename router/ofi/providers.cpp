#include "router/ofi/providers.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <rdma/fabric.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "router/ofi/libfabric.hpp"

namespace toroid::ofi {
namespace {

constexpr std::uint32_t kApi = FI_VERSION(1, 15);

struct Known {
  const char* name;
  bool over_ip;  ///< it has one endpoint per interface, which the address chooses
  const char* use;
};
/// Providers between hosts, the best first.
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

Info our_hints() {
  Info hints(library().dupinfo(nullptr));
  if (hints == nullptr) throw std::bad_alloc();
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  return hints;
}

bool has_infiniband() {
  std::error_code error;
  const std::filesystem::directory_iterator devices("/sys/class/infiniband", error);
  return !error && devices != std::filesystem::directory_iterator();
}

/// Sets what the library reads once, when it is first asked. The user's own settings take
/// precedence.
void tune() {
  // Bounce buffers per connection: a window and its acknowledgements need no more, and the usual
  // 128 take 50 MB and tens of milliseconds.
  ::setenv("FI_OFI_RXM_MSG_RX_SIZE", "16", 0);
  // On tcp a frame is sent at once, instead of in pieces or after a request. On verbs the limit
  // must be the size of the bounce buffers.
  if (!has_infiniband()) ::setenv("FI_OFI_RXM_EAGER_LIMIT", "1048576", 0);
}

Info get_info(std::uint64_t flags, const fi_info* hints) {
  static std::once_flag tuned;
  std::call_once(tuned, tune);
  fi_info* found = nullptr;
  if (library().getinfo(kApi, nullptr, nullptr, flags, hints, &found) != 0) return nullptr;
  return Info(found);
}

/// The numeric IP address of an interface, without its port; empty: it has none.
std::string address_of(const fi_info& info) {
  std::array<char, NI_MAXHOST> text{};
  if (info.src_addr == nullptr ||
      (info.addr_format != FI_SOCKADDR_IN && info.addr_format != FI_SOCKADDR_IN6) ||
      ::getnameinfo(static_cast<const sockaddr*>(info.src_addr),
                    static_cast<socklen_t>(info.src_addrlen), text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0)
    return {};
  return text.data();
}

}  // namespace

std::vector<std::string> provider_names(Distance distance) {
  std::vector<std::string> names;
  if (distance == Distance::one_host) names.push_back(kShm.name);
  for (const Known& known : kKnown) names.push_back(known.name);
  return names;
}

Providers::Providers(std::string address)
    : address_(std::move(address)),
      infos_(get_info(0, our_hints().get())),
      names_(get_info(FI_PROV_ATTR_ONLY, nullptr)) {}

Candidate Providers::get(const std::string& name) const {
  const Known* known = find(name);
  if (known == nullptr) return {name, nullptr, "no reliable datagrams, or not tried yet"};
  bool present = false;
  for (const fi_info* info = infos_.get(); info != nullptr; info = info->next) {
    if (name != info->fabric_attr->prov_name) continue;
    present = true;
    if (known->over_ip && !address_.empty() && address_of(*info) != address_) continue;
    Info found(library().dupinfo(info));
    if (found == nullptr) throw std::bad_alloc();
    return {name, std::move(found), known->use};
  }
  if (present) return {name, nullptr, fmt::format("has no endpoint at {}", address_)};
  const std::string core = name.substr(0, name.find(';'));
  for (const fi_info* info = names_.get(); info != nullptr; info = info->next)
    if (core == info->fabric_attr->prov_name)
      return {name, nullptr, "no device for it on this host"};
  return {name, nullptr, "not in this libfabric"};
}

std::vector<Candidate> Providers::all() const {
  std::vector<Candidate> all;
  for (const std::string& name : provider_names(Distance::one_host)) all.push_back(get(name));
  const auto is_part_of_one = [&](std::string_view name) {
    if (name.starts_with("ofi_")) return true;  // it works on top of another provider
    return std::any_of(all.begin(), all.end(), [&](const Candidate& c) {
      return c.name == name || c.name.starts_with(fmt::format("{};", name)) ||
             c.name.ends_with(fmt::format(";{}", name));
    });
  };
  for (const fi_info* info = names_.get(); info != nullptr; info = info->next)
    if (!is_part_of_one(info->fabric_attr->prov_name))
      all.push_back(get(info->fabric_attr->prov_name));
  return all;
}

std::size_t best_frame_bytes(const std::string& provider) {
  // Short frames if the library itself cuts messages into datagrams; else what fits in the caches.
  return provider.ends_with("ofi_rxd") ? std::size_t{16} << 10 : std::size_t{256} << 10;
}

}  // namespace toroid::ofi
