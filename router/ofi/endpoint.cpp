#include "router/ofi/endpoint.hpp"

#include <fmt/core.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "router/ofi/libfabric.hpp"
#include "router/ofi/providers.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {
namespace {

void check(long result, const char* what) {
  if (result < 0)
    throw RunFailed(fmt::format("libfabric cannot {}: {}", what,
                                library().strerror(static_cast<int>(-result))));
}

}  // namespace

Endpoint::Endpoint(const Candidate& provider, std::span<std::byte> memory)
    : info_(provider.info.get()) {
  TOROID_CHECK(info_ != nullptr);
  auto* const info = provider.info.get();
  fid_fabric* fabric = nullptr;
  check(library().fabric(info->fabric_attr, &fabric, nullptr), "open the fabric");
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  check(::fi_domain(fabric, info, &domain, nullptr), "open the domain");
  domain_.reset(domain);
  fi_cq_attr queue_attr{};
  queue_attr.format = FI_CQ_FORMAT_MSG;
  queue_attr.wait_obj = FI_WAIT_NONE;
  fid_cq* queue = nullptr;
  check(::fi_cq_open(domain, &queue_attr, &queue, nullptr), "open a completion queue");
  queue_.reset(queue);
  fi_av_attr peers_attr{};
  fid_av* peers = nullptr;
  check(::fi_av_open(domain, &peers_attr, &peers, nullptr), "open an address vector");
  peers_.reset(peers);
  fid_ep* endpoint = nullptr;
  check(::fi_endpoint(domain, info, &endpoint, nullptr), "open an endpoint");
  endpoint_.reset(endpoint);
  check(::fi_ep_bind(endpoint, &peers->fid, 0), "bind the address vector");
  check(::fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "bind the completion queue");
  enable();
  register_memory(memory);
}

/// Shared memory is named after the process id. If a process of the same id has died and left it
/// behind, libfabric removes it and reports that it is busy; the second attempt succeeds.
void Endpoint::enable() {
  int result = ::fi_enable(endpoint_.get());
  if (result == -FI_EBUSY) result = ::fi_enable(endpoint_.get());
  check(result, "enable the endpoint");
}

void Endpoint::register_memory(std::span<std::byte> memory) {
  const auto mode = static_cast<unsigned>(info_->domain_attr->mr_mode);
  if ((mode & FI_MR_LOCAL) == 0 || memory.empty()) return;
  fid_mr* region = nullptr;
  check(::fi_mr_reg(domain_.get(), memory.data(), memory.size(), FI_SEND | FI_RECV, 0, 0, 0,
                    &region, nullptr),
        "register the frames' memory");
  memory_.reset(region);
  if ((mode & FI_MR_ENDPOINT) == 0) return;
  check(::fi_mr_bind(region, &endpoint_->fid, 0), "bind the frames' memory");
  check(::fi_mr_enable(region), "enable the frames' memory");
}

Address Endpoint::address() const {
  Address address(256);
  std::size_t bytes = address.size();
  int result = ::fi_getname(&endpoint_->fid, address.data(), &bytes);
  address.resize(bytes);
  if (result == -FI_ETOOSMALL) result = ::fi_getname(&endpoint_->fid, address.data(), &bytes);
  check(result, "name the endpoint's address");
  return address;
}

void Endpoint::insert(const std::vector<Address>& addresses) {
  for (const Address& address : addresses) {
    addresses_.push_back(FI_ADDR_UNSPEC);
    if (address.empty()) continue;
    const int inserted =
        ::fi_av_insert(peers_.get(), address.data(), 1, &addresses_.back(), 0, nullptr);
    if (inserted != 1) throw RunFailed("libfabric cannot use the address of a process");
  }
}

/// A send that libfabric refuses for good, because the peer is gone, completes with an error.
bool Endpoint::try_send(Operation& operation) {
  const long result = ::fi_send(endpoint_.get(), operation.buffer.data(), operation.bytes,
                                descriptor(), addresses_[operation.peer], &operation.context);
  if (result == -FI_EAGAIN) return false;
  if (result != 0) refused_.push_back({&operation, static_cast<int>(-result)});
  return true;
}

bool Endpoint::try_receive(Operation& operation) {
  const long result = ::fi_recv(endpoint_.get(), operation.buffer.data(), operation.buffer.size(),
                                descriptor(), FI_ADDR_UNSPEC, &operation.context);
  if (result == -FI_EAGAIN) return false;
  check(result, "receive");
  return true;
}

std::size_t Endpoint::poll(std::span<Completion> completions) {
  if (!refused_.empty()) {
    completions.front() = refused_.back();
    refused_.pop_back();
    return 1;
  }
  std::array<fi_cq_msg_entry, 16> entries;
  const auto most = std::min(entries.size(), completions.size());
  const long count = ::fi_cq_read(queue_.get(), entries.data(), most);
  if (count == -FI_EAGAIN) return 0;
  if (count != -FI_EAVAIL) check(count, "read completions");
  if (count < 0) return poll_error(completions);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    auto* const operation = static_cast<Operation*>(entries[i].op_context);
    if (operation->receives) operation->bytes = entries[i].len;
    completions[i] = {operation, 0};
  }
  return static_cast<std::size_t>(count);
}

std::size_t Endpoint::poll_error(std::span<Completion> completions) {
  fi_cq_err_entry error{};
  const long read = ::fi_cq_readerr(queue_.get(), &error, 0);
  if (read == -FI_EAGAIN) return 0;
  check(read, "read a completion");
  if (error.op_context == nullptr) return 0;  // an operation of the provider
  auto* const operation = static_cast<Operation*>(error.op_context);
  const bool too_long = operation->receives && error.err == FI_ETRUNC;
  completions.front() = {operation, too_long ? kTooLong : error.err};
  return 1;
}

std::string Endpoint::text_of(int error) const {
  return library().strerror(error);
}

}  // namespace toroid::ofi
