// The endpoint of a process: a Transport over libfabric.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/providers.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// The address of an endpoint, in the provider's own form.
using Address = std::vector<std::byte>;

/// How a process is reached. All processes exchange their contacts before frames are sent.
struct Contact {
  Address address;           ///< empty if no frames are sent to this process
  std::uint64_t memory = 0;  ///< address of its buffers, as fi_writedata() expects it
  std::uint64_t key = 0;     ///< key of that memory
};

/// A process that frames are sent to.
struct Peer {
  Contact contact;
  /// The peer's FrameBuffers::window_index() for frames from this process.
  std::uint32_t window = 0;
};

/// Owns libfabric's objects. Opened by the program's thread, then used by the worker that serves
/// the gateway.
///
/// **Writes:** if the provider writes frames, the receive buffers are registered for remote writes.
/// fi_writedata() puts a frame into its slot of the receiver's window, and the immediate data, an
/// index of the receiver's operations, tells the receiver which slot. Nothing else can be written:
/// the key of the memory, which is drawn at random, covers only these buffers. Acknowledgements are
/// always messages.
///
/// **Reads:** memory is registered while it is exposed or read into. If registration is expensive
/// for a provider, the provider itself caches registrations.
class Endpoint final : public Transport {
 public:
  /// Opens an endpoint that sends from `buffers` and receives into them. `buffers` outlives the
  /// endpoint. `segment`: the name for its file in /dev/shm; empty if the provider makes none.
  /// Throws RunFailed with libfabric's reason. REQUIRES: the provider can carry frames.
  Endpoint(const Candidate& provider, FrameBuffers& buffers, std::string segment = {});

  /// Cancels all operations in flight; afterwards no memory is touched. REQUIRES: no Region is
  /// left, and this is the last call.
  void close();

  Contact contact() const;
  /// Sets the processes that frames are sent to, indexed by rank. Throws RunFailed if libfabric
  /// cannot use an address. REQUIRES: nothing has been sent
  /// yet, and all processes have the same buffer limits.
  void insert(const std::vector<Peer>& peers);

  /// If the provider shares memory: returns when this process has opened the segments of all peers
  /// and they have opened its own, whose name is then removed. Calls `wait` while it waits, which
  /// may throw. REQUIRES: insert() has been called with the peers; all processes call this; no
  /// process sends anything else before all have returned.
  void meet(std::span<const unsigned> peers, const std::function<void()>& wait);

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
    std::uint64_t window;  ///< address of slot 0 of the window
    std::uint64_t key;
    std::uint32_t first;  ///< index of slot 0 at the remote process
  };

  bool has_mode(std::uint64_t bit) const {
    return (static_cast<std::uint64_t>(info_->domain_attr->mr_mode) & bit) != 0;
  }
  void open_queue();
  void set_name();
  bool greet(unsigned peer, std::byte& nothing, fi_context2& context);
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

  Info info_;
  std::string segment_;  ///< name of its file in /dev/shm; empty if it has none
  bool writes_;
  std::size_t least_read_;
  FrameBuffers* buffers_;
  // These must be closed in reverse order.
  Object<fid_fabric> fabric_;
  Object<fid_domain> domain_;
  Object<fid_cq> queue_;
  Object<fid_av> peers_;
  Object<fid_ep> endpoint_;
  Object<fid_mr> inward_;            ///< null if no registration is needed
  Object<fid_mr> outward_;           ///< null if no registration is needed
  std::vector<Remote> remotes_;      ///< [process]
  std::vector<void*> reading_;       ///< reads in flight
  std::vector<Completion> refused_;  ///< operations that libfabric refused; poll() reports them
};

}  // namespace toroid::ofi
