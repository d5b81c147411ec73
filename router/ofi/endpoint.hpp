// The endpoint of a process: a Transport over libfabric.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "router/ofi/providers.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// The address of an endpoint, in the provider's own form.
using Address = std::vector<std::byte>;

/// Owns libfabric's objects. Opened by the program's thread and then used by the gateway's worker.
class Endpoint final : public Transport {
 public:
  /// Opens an endpoint that sends from and receives to `memory`. Throws RunFailed with libfabric's
  /// reason.
  Endpoint(const Candidate& provider, std::span<std::byte> memory);

  Address address() const;
  /// Sets the addresses of all processes, by rank; empty ones are not used. REQUIRES: nothing has
  /// been sent yet.
  void insert(const std::vector<Address>& addresses);

  bool try_send(Operation& operation) override;
  bool try_receive(Operation& operation) override;
  std::size_t poll(std::span<Completion> completions) override;
  std::string text_of(int error) const override;

 private:
  template <typename T>
  struct Close {
    void operator()(T* object) const { ::fi_close(&object->fid); }
  };
  template <typename T>
  using Object = std::unique_ptr<T, Close<T>>;

  void enable();
  void register_memory(std::span<std::byte> memory);
  void* descriptor() const { return memory_ ? ::fi_mr_desc(memory_.get()) : nullptr; }
  std::size_t poll_error(std::span<Completion> completions);

  const fi_info* info_;
  // They must be closed in the reverse order.
  Object<fid_fabric> fabric_;
  Object<fid_domain> domain_;
  Object<fid_mr> memory_;
  Object<fid_cq> queue_;
  Object<fid_av> peers_;
  Object<fid_ep> endpoint_;
  std::vector<fi_addr_t> addresses_;  ///< [process]
  std::vector<Completion> refused_;   ///< sends that failed at once, for the next poll()
};

}  // namespace toroid::ofi
