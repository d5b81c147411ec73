// The endpoint of a process: a Transport over libfabric.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "router/ofi/buffers.hpp"
#include "router/ofi/providers.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// The address of an endpoint, in the provider's own form.
using Address = std::vector<std::byte>;

/// How a process is reached: what all processes tell each other before anything is sent.
struct Contact {
  Address address;           ///< empty: it is not reached
  std::uint64_t memory = 0;  ///< where its buffers stand, as fi_writedata() wants it
  std::uint64_t key = 0;     ///< of that memory
};

/// A process that frames go to.
struct Peer {
  Contact contact;
  std::uint32_t window = 0;  ///< Buffers::window_index() there of what this process writes
};

/// Owns libfabric's objects. Opened by the program's thread and then used by the gateway's worker.
///
/// **Writes:** where the provider writes frames, the buffers that receive are registered for others
/// to write to. A frame goes by fi_writedata() into its slot of the receiver's window, and the
/// data, an index of the receiver's operations, tells the receiver. Nothing else can be written:
/// the key of the memory, which is drawn at random, covers no more. Acknowledgements remain
/// messages.
///
/// **Reads:** memory that is exposed or read into is registered for as long as that lasts.
/// Providers for which that is expensive keep what was registered in a cache of their own.
class Endpoint final : public Transport {
 public:
  /// Opens an endpoint that sends from `buffers` and receives into them; they and `provider`
  /// outlive it. Throws RunFailed with libfabric's reason.
  Endpoint(const Candidate& provider, Buffers& buffers);

  /// Ends what is under way, and touches no memory any more. REQUIRES: no Region is left, and
  /// nothing else follows.
  void close();

  Contact contact() const;
  /// Sets the processes that are sent to, by rank. REQUIRES: nothing has been sent yet, and all of
  /// them have the same limits of buffers.
  void insert(const std::vector<Peer>& peers);

  bool try_send(Operation& operation) override;
  bool try_receive(Operation& operation) override;
  std::size_t poll(std::span<Completion> completions) override;
  std::string text_of(int error) const override;
  std::size_t least_read() const override { return least_read_; }
  std::unique_ptr<Region> expose(std::span<const std::byte> memory) override;
  std::unique_ptr<Region> open(std::span<std::byte> memory) override;
  bool try_read(ReadOperation& operation) override;

 private:
  template <typename T>
  struct Close {
    void operator()(T* object) const { ::fi_close(&object->fid); }
  };
  template <typename T>
  using Object = std::unique_ptr<T, Close<T>>;

  struct OpenRegion;

  struct Remote {
    fi_addr_t address;
    std::uint64_t window;  ///< where slot 0 of the window stands
    std::uint64_t key;
    std::uint32_t first;  ///< index there of slot 0
  };

  bool has_mode(std::uint64_t bit) const {
    return (static_cast<std::uint64_t>(info_->domain_attr->mr_mode) & bit) != 0;
  }
  void open_queue();
  void enable();
  Object<fid_mr> registered(std::string_view what, std::span<const std::byte> memory,
                            std::uint64_t access);
  std::uint64_t address_of(const std::byte* memory) const {
    return has_mode(FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uintptr_t>(memory) : 0;
  }
  bool is_written(const Operation& operation) const {
    return writes_ && operation.slot != kAnySlot;
  }
  bool has_begun(Operation& operation, long result);
  long send(Operation& operation);
  long write(Operation& operation);
  Completion completion_of(const fi_cq_data_entry& entry);
  Operation& completed(void* context, std::uint64_t flags);
  std::size_t poll_error(std::span<Completion> completions);

  const fi_info* info_;
  bool writes_;
  std::size_t least_read_;
  Buffers* buffers_;
  // They must be closed in the reverse order.
  Object<fid_fabric> fabric_;
  Object<fid_domain> domain_;
  Object<fid_cq> queue_;
  Object<fid_av> peers_;
  Object<fid_ep> endpoint_;
  Object<fid_mr> inward_;            ///< null: it need not be registered
  Object<fid_mr> outward_;           ///< null: it need not be registered
  std::vector<Remote> remotes_;      ///< [process]
  std::vector<void*> reading_;       ///< reads that have begun and not completed
  std::vector<Completion> refused_;  ///< sends that failed at once, for the next poll()
};

}  // namespace toroid::ofi
