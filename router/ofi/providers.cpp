#include "router/ofi/providers.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "router/ofi/shared_segment.hpp"
#include "router/placement/pci_distance.hpp"

namespace toroid::ofi {
namespace {

constexpr std::uint32_t kApi = FI_VERSION(1, 15);

/// How to use a provider's remote memory access: fi_writedata() for frames, fi_read() for puts.
enum class Use : std::uint8_t {
  none,       ///< not available, or does not work
  slower,     ///< slower than messages, or not measured; used only on request
  preferred,  ///< no slower than messages
};

struct Known {
  const char* name;
  /// Whether it has one endpoint per network interface, selected by the interface's address.
  bool over_ip;
  Use writes;
  Use reads;
  const char* use;
};
/// Bytes of the shortest put that is read. Packing a shorter put is faster than the round trip of
/// offer and read, as measured with tcp and shm (docs/OFI.md).
constexpr std::size_t kLeastRead = std::size_t{256} << 10;
/// Providers between hosts, best first.
constexpr Known kKnown[] = {
    {"cxi", false, Use::none, Use::preferred, "HPE Slingshot"},
    {"efa", false, Use::preferred, Use::preferred, "AWS Elastic Fabric Adapter"},
    {"psm3", false, Use::preferred, Use::preferred, "Intel Ethernet and Omni-Path"},
    {"psm2", false, Use::preferred, Use::preferred, "Intel Omni-Path"},
    {"verbs;ofi_rxm", false, Use::preferred, Use::preferred, "InfiniBand and RoCE"},
    {"tcp;ofi_rxm", true, Use::preferred, Use::preferred, "any network with TCP"},
    {"net", true, Use::preferred, Use::preferred, "any network with TCP, newer, less tested"},
    {"udp;ofi_rxd", true, Use::slower, Use::none, "any network with UDP, slow; unsafe"},
    {"sockets", true, Use::slower, Use::none, "any network with TCP, for tests; unsafe"},
};
constexpr Known kShm = {"shm", false, Use::preferred, Use::preferred, "processes of one host"};

/// Whether TCP paces its sending, as BBR does. It then sends at most 64 KiB at once, including the
/// headers of libfabric and TCP; the rest of a longer frame or read is delayed.
bool paces_tcp() {
  std::ifstream file("/proc/sys/net/ipv4/tcp_congestion_control");
  std::string name;
  return file >> name && name.starts_with("bbr");
}

const Known* find(const std::string& name) {
  if (name == kShm.name) return &kShm;
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const Known& k) { return name == k.name; });
  return known == std::end(kKnown) ? nullptr : known;
}

/// Bytes of the immediate data that a write carries: an index of one of the receiver's operations.
constexpr std::size_t kDataBytes = 4;

Info our_hints(std::uint64_t capabilities) {
  Info hints(library().dupinfo(nullptr));
  if (hints == nullptr) throw std::bad_alloc();
  hints->caps = capabilities;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  return hints;
}

/// Whether an endpoint with remote memory access can write frames.
bool can_write(const fi_info& info) {
  return info.domain_attr->cq_data_size >= kDataBytes;
}

/// Whether memory keys fit into a 64-bit word.
bool has_short_keys(const fi_info& info) {
  return info.domain_attr->mr_key_size <= sizeof(std::uint64_t);
}

bool has_infiniband() {
  std::error_code error;
  const std::filesystem::directory_iterator devices("/sys/class/infiniband", error);
  return !error && devices != std::filesystem::directory_iterator();
}

/// Sets environment variables that libfabric reads once, at its first call. The user's own settings
/// take precedence.
void tune() {
  // Bounce buffers per connection: 16 are enough for a window and its acknowledgements, and the
  // default of 128 takes 50 MB and tens of milliseconds.
  set_unless_set("FI_OFI_RXM_MSG_RX_SIZE", "16");
  // With this limit tcp sends a frame in one message, instead of in pieces or after a request. For
  // verbs the limit must equal the size of the bounce buffers, so it is not changed on hosts with
  // InfiniBand.
  if (!has_infiniband()) set_unless_set("FI_OFI_RXM_EAGER_LIMIT", "1048576");
  // Longer messages are sent after a request, never in pieces, because libfabric 2.1, which has no
  // eager limit, aborts the process when it closes a connection on which some pieces of a message
  // are missing.
  set_unless_set("FI_OFI_RXM_SAR_LIMIT", "1");
}

Info get_info(std::uint64_t flags, const fi_info* hints) {
  static std::once_flag tuned;
  std::call_once(tuned, tune);
  expect_room(4, "to list its providers");
  fi_info* found = nullptr;
  if (library().getinfo(kApi, nullptr, nullptr, flags, hints, &found) != 0) return nullptr;
  return Info(found);
}

/// The numeric IP address of an endpoint, without its port; empty if it has none.
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

std::optional<PciAddress> pci_address_of(const fi_info& info) {
  if (info.nic == nullptr || info.nic->bus_attr == nullptr ||
      info.nic->bus_attr->bus_type != FI_BUS_PCI)
    return std::nullopt;
  const fi_pci_attr& pci = info.nic->bus_attr->attr.pci;
  return PciAddress{pci.domain_id, pci.bus_id, pci.device_id, pci.function_id};
}

bool is_down(const fi_info* info) {
  return info->nic != nullptr && info->nic->link_attr != nullptr &&
         info->nic->link_attr->state == FI_LINK_DOWN;
}

/// libfabric offers the provider `shm` only if /dev/shm has room for a segment for each core.
bool has_room_for_segments(const DevShmRoom& room) {
  constexpr std::uint64_t kSegment = 16;  // MiB
  return room.free >= kSegment * static_cast<std::uint64_t>(::sysconf(_SC_NPROCESSORS_ONLN));
}

std::string_view network_of(const fi_info& info) {
  return info.fabric_attr->name == nullptr ? "" : info.fabric_attr->name;
}

}  // namespace

Info copy_of(const fi_info& info) {
  Info copy(library().dupinfo(&info));
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}

std::vector<std::string> provider_names() {
  std::vector<std::string> names{kShm.name};
  for (const Known& known : kKnown) names.push_back(known.name);
  return names;
}

std::string_view why_unsafe(std::string_view provider) {
  if (provider == "udp;ofi_rxd") return "a datagram from a stranger can end the process";
  if (provider == "sockets") return "bytes from a stranger can end the run";
  return {};
}

Providers::Providers(std::string address, std::optional<unsigned> pu)
    : address_(std::move(address)),
      pu_(pu),
      remotes_(get_info(0, our_hints(FI_MSG | FI_RMA).get())),
      infos_(get_info(0, our_hints(FI_MSG).get())),
      names_(get_info(FI_PROV_ATTR_ONLY, nullptr)) {}

Candidate Providers::get(const std::string& name, bool remote) const {
  const Known* known = find(name);
  if (known == nullptr) return {name, nullptr, "no reliable datagrams, or not tested yet"};
  const auto is_wanted = [&](const fi_info& info) {
    return name == info.fabric_attr->prov_name &&
           (!known->over_ip || address_.empty() || address_of(info) == address_);
  };
  std::vector<const fi_info*> cards;
  for (const fi_info* info = remote ? remotes_.get() : nullptr; info != nullptr; info = info->next)
    if (is_wanted(*info) && has_short_keys(*info)) cards.push_back(info);
  if (!cards.empty()) {
    const bool may_write = known->writes != Use::none;
    const auto cannot_write = [](const fi_info* info) { return !can_write(*info); };
    if (may_write && !std::ranges::all_of(cards, cannot_write)) std::erase_if(cards, cannot_write);
    Candidate found{name, copy_of(nearest(cards)), known->use};
    found.writes = may_write && can_write(*found.info);
    found.least_read = known->reads == Use::none ? 0 : kLeastRead;
    return found;
  }
  bool present = false;
  for (const fi_info* info = infos_.get(); info != nullptr; info = info->next) {
    if (is_wanted(*info)) cards.push_back(info);
    present |= name == info->fabric_attr->prov_name;
  }
  if (!cards.empty()) return {name, copy_of(nearest(cards)), known->use};
  if (present)
    return {name, nullptr, fmt::format("has no endpoint at {}{}", address_, user_settings())};
  return {name, nullptr, why_absent(name) + user_settings()};
}

/// Why libfabric offers no endpoint of a provider.
std::string Providers::why_absent(std::string_view name) const {
  const std::string_view core = name.substr(0, name.find(';'));
  const auto is_known = [&] {
    for (const fi_info* info = names_.get(); info != nullptr; info = info->next)
      if (core == info->fabric_attr->prov_name) return true;
    return false;
  };
  if (std::getenv("FI_PROVIDER") != nullptr || !is_known()) return kNotInLibrary;
  const auto room = name == kShm.name ? room_in_dev_shm() : std::nullopt;
  if (room && !has_room_for_segments(*room))
    return fmt::format("only {} MiB of /dev/shm are free, less than a segment for each core",
                       room->free);
  return "no device for it on this host";
}

/// Considers only cards on the same network as the first working card, because the other processes
/// may not be reachable over other networks. Examines the machine's topology, which takes 10 ms,
/// only if there is a choice.
const fi_info& Providers::nearest(std::vector<const fi_info*> cards) const {
  const fi_info& first = **std::ranges::min_element(cards, {}, is_down);
  std::erase_if(cards, [&](const fi_info* info) {
    return !pci_address_of(*info) || is_down(info) || network_of(*info) != network_of(first);
  });
  if (!pu_ || cards.size() < 2) return first;
  const PciDistance distance;
  return **std::ranges::min_element(cards, {}, [&](const fi_info* info) {
    return distance(*pci_address_of(*info), *pu_).value_or(UINT_MAX);
  });
}

std::vector<Candidate> Providers::all() const {
  std::vector<Candidate> all;
  for (const std::string& name : provider_names()) all.push_back(get(name));
  const auto is_part_of_one = [&](std::string_view name) {
    if (name.starts_with("ofi_")) return true;  // a layer on top of another provider
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

bool stays_in_memory(const std::string& provider) {
  return provider == kShm.name;
}

Preference preference_for(const std::string& provider) {
  constexpr std::size_t kKiB = 1024;
  const Known* known = find(provider);
  if (known == nullptr) return {false, false, 256 * kKiB};
  const bool is_paced = known->over_ip && paces_tcp();
  Preference preference{known->writes == Use::preferred,
                        known->reads == Use::preferred && !is_paced, 256 * kKiB};
  if (provider.ends_with("ofi_rxd"))  // libfabric cuts messages into datagrams
    preference.frame_bytes = 16 * kKiB;
  else if (is_paced)
    preference.frame_bytes = 60 * kKiB;
  return preference;
}

}  // namespace toroid::ofi
