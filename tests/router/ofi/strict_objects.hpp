// The parts of StrictLibfabric: the objects behind libfabric's handles, and its network cards.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "router/ofi/libfabric.hpp"
#include "router/placement/pci_distance.hpp"

namespace toroid::testing {

inline constexpr const char* kStrictName = "verbs;ofi_rxm";

struct StrictOptions {
  std::uint64_t seed = 1;
  std::uint64_t mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  bool writes = true;               ///< it has remote memory access
  std::vector<PciAddress> cards{};  ///< PCI addresses of its network cards; if empty, one card
  std::uint32_t busy = 20;          ///< percent of operations refused with EAGAIN
  std::uint32_t late = 20;          ///< percent of possible moves that wait for another poll
  int down = -1;                    ///< the card that is not connected; -1 if none
  int elsewhere = -1;               ///< the card on another network; -1 if none
  int enabling_fails = 0;           ///< the error of fi_mr_enable(); 0 if none
  bool bare_data = false;           ///< written frames are reported by the data flag only
  bool strange_context = false;     ///< arriving messages complete an unknown operation
  int registering_fails = 0;        ///< the error of fi_mr_reg(); 0 if none
};

namespace strict {

inline constexpr std::size_t kWords = 8;  ///< words of FI_CONTEXT2
using Words = std::array<std::uintptr_t, kWords>;

struct Domain {
  fid_domain fid{};
  int children = 0;
  std::atomic<bool> is_in_use{false};  ///< FI_THREAD_DOMAIN: one thread at a time
};
struct Endpoint;
struct Region {
  fid_mr fid{};
  Domain* domain = nullptr;
  Endpoint* bound = nullptr;
  bool is_enabled = false;
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t access = 0;
};
struct Queue {
  fid_cq fid{};
  Domain* domain = nullptr;
  std::size_t size = 0;
  std::vector<fi_cq_data_entry> entries;
  std::vector<fi_cq_err_entry> errors;
};
struct Addresses {
  fid_av fid{};
  Domain* domain = nullptr;
};
/// An operation that has been posted. A receive operation has no target.
struct Posted {
  std::byte* buffer;
  std::size_t bytes;
  void* context;
  Words words;
  std::uint64_t target = 0;  ///< number of an endpoint
  /// Access to the target's memory (FI_REMOTE_WRITE, FI_REMOTE_READ); 0 for messages.
  std::uint64_t remote = 0;
  std::uint64_t data = 0;
  std::uint64_t place = 0;
  std::uint64_t key = 0;
};
/// An operation that has left its sender.
struct UnderWay {
  std::uint64_t from;  ///< number of an endpoint
  Posted operation;
  std::vector<std::byte> bytes;
};
struct Endpoint {
  fid_ep fid{};
  Domain* domain = nullptr;
  Queue* queue = nullptr;
  bool is_enabled = false;
  int regions = 0;
  std::uint64_t number = 0;
  std::vector<Posted> sending;
  std::vector<Posted> receiving;
  std::vector<UnderWay> arriving;
};

/// [key]; processes of a test may draw the same key.
using Regions = std::multimap<std::uint64_t, Region*>;

/// The place in a domain's memory that an operation accesses; null if the key, the kind of access
/// or the range is invalid.
inline std::byte* place_of(const Regions& regions, const Domain& domain, const Posted& operation,
                           bool by_address) {
  const auto [first, last] = regions.equal_range(operation.key);
  for (auto at = first; at != last; ++at) {
    const Region& region = *at->second;
    if (region.domain != &domain || !region.is_enabled) continue;
    if ((region.access & operation.remote) == 0) continue;
    const auto base = reinterpret_cast<std::uintptr_t>(region.begin);
    const std::uint64_t offset = by_address ? operation.place - base : operation.place;
    if (offset <= region.bytes && operation.bytes <= region.bytes - offset)
      return region.begin + offset;
  }
  return nullptr;
}

template <typename T>
T* object_of(void* fid) {
  return static_cast<T*>(static_cast<struct fid*>(fid)->context);
}
template <typename Fid, typename Object>
void name(Fid& fid, Object* object, std::size_t kind, fi_ops& ops) {
  fid.fid.fclass = kind;
  fid.fid.context = object;
  fid.fid.ops = &ops;
}

/// A table of functions; those that `set` does not set are null.
template <typename Ops>
Ops table_of(const auto& set) {
  Ops table{};
  table.size = sizeof(table);
  set(table);
  return table;
}

/// A network card's description, which libfabric frees.
inline fid_nic* nic_at(const PciAddress& place) {
  static fi_ops ops = table_of<fi_ops>([](auto& table) {
    table.close = [](struct fid* fid) {
      auto* nic = object_of<fid_nic>(fid);
      delete nic->device_attr;
      delete nic->bus_attr;
      delete nic->link_attr;
      delete nic;
      return 0;
    };
  });
  auto* nic = new fid_nic{};
  name(*nic, nic, FI_CLASS_NIC, ops);
  nic->device_attr = new fi_device_attr{};
  nic->link_attr = new fi_link_attr{};
  nic->bus_attr = new fi_bus_attr{};
  nic->bus_attr->bus_type = FI_BUS_PCI;
  nic->bus_attr->attr.pci = {
      static_cast<std::uint16_t>(place.domain), static_cast<std::uint8_t>(place.bus),
      static_cast<std::uint8_t>(place.device), static_cast<std::uint8_t>(place.function)};
  return nic;
}

/// The fi_info of a card. Its domain is called strict0, strict1, ...
inline fi_info* card_info(const ofi::Library& real, const StrictOptions& options,
                          std::size_t card) {
  fi_info* info = real.dupinfo(nullptr);
  info->fabric_attr->prov_name = ::strdup(kStrictName);
  const bool elsewhere = options.elsewhere == static_cast<int>(card);
  info->fabric_attr->name = ::strdup(elsewhere ? "other" : "strict");
  info->domain_attr->name = ::strdup(("strict" + std::to_string(card)).c_str());
  info->caps = options.writes ? FI_MSG | FI_RMA : FI_MSG;
  info->mode = FI_CONTEXT2;
  info->domain_attr->mr_mode = static_cast<int>(options.mr_mode);
  info->domain_attr->cq_data_size = 4;
  info->domain_attr->mr_key_size = 8;
  info->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  info->ep_attr->type = FI_EP_RDM;
  info->ep_attr->max_msg_size = SIZE_MAX;
  if (card >= options.cards.size()) return info;
  info->nic = nic_at(options.cards[card]);
  if (options.down == static_cast<int>(card)) info->nic->link_attr->state = FI_LINK_DOWN;
  return info;
}

/// Implements fi_getinfo(): returns the cards if they fit the hints.
inline int find_cards(const ofi::Library& real, const StrictOptions& options, const fi_info* hints,
                      fi_info** found) {
  const std::uint64_t caps = options.writes ? FI_MSG | FI_RMA : FI_MSG;
  const bool fits =
      hints == nullptr || ((hints->caps & ~caps) == 0 && (hints->mode & FI_CONTEXT2) != 0 &&
                           (options.mr_mode & ~std::uint64_t(hints->domain_attr->mr_mode)) == 0);
  if (!fits) return -FI_ENODATA;
  const std::size_t cards = std::max<std::size_t>(1, options.cards.size());
  for (std::size_t card = cards; card-- > 0;) {
    fi_info* const info = card_info(real, options, card);
    info->next = card + 1 < cards ? *found : nullptr;
    *found = info;
  }
  return 0;
}

/// Copies an fi_info. The real fi_dupinfo() would ask the card's provider to copy its `nic`.
inline fi_info* copy_of(const ofi::Library& real, const fi_info* info) {
  if (info == nullptr || info->nic == nullptr) return real.dupinfo(info);
  fi_info without = *info;
  without.nic = nullptr;
  fi_info* const copy = real.dupinfo(&without);
  const fi_pci_attr& pci = info->nic->bus_attr->attr.pci;
  copy->nic = nic_at({pci.domain_id, pci.bus_id, pci.device_id, pci.function_id});
  return copy;
}

}  // namespace strict
}  // namespace toroid::testing
