// One reliable-datagram endpoint of libfabric with a window of buffers in each direction, on
// loopback or in shared memory only.
#pragma once

#include <netinet/in.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace baseline {

[[noreturn]] inline void fail(const std::string& what, long code) {
  std::fprintf(stderr, "error: %s: %s\n", what.c_str(), fi_strerror(static_cast<int>(-code)));
  std::_Exit(1);
}

inline void require(long code, const char* what) {
  if (code < 0) fail(what, code);
}

struct CloseFid {
  template <class T>
  void operator()(T* object) const {
    fi_close(&object->fid);
  }
};
struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
template <class T>
using Handle = std::unique_ptr<T, CloseFid>;
using Info = std::unique_ptr<fi_info, FreeInfo>;

// Every provider but shm gets the source address 127.0.0.1, so that no traffic leaves the machine.
inline Info find_provider(const std::string& provider) {
  const Info hints(fi_allocinfo());
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  const bool ip = provider != "shm";
  if (ip) hints->addr_format = FI_SOCKADDR_IN;
  fi_info* found = nullptr;
  require(fi_getinfo(FI_VERSION(1, 15), ip ? "127.0.0.1" : nullptr, nullptr, ip ? FI_SOURCE : 0,
                     hints.get(), &found),
          "fi_getinfo");
  return Info(found);
}

// Sends the same few buffers, which are never written; does not read received data.
class Endpoint {
 public:
  Endpoint(const std::string& provider, std::size_t bytes, std::size_t window)
      : Endpoint(find_provider(provider), bytes, window) {}

  Endpoint(Info info, std::size_t bytes, std::size_t window)
      : info_(std::move(info)), bytes_(bytes), window_(window) {
    if (bytes > info_->ep_attr->max_msg_size)
      fail("a message of " + std::to_string(bytes) + " bytes", -FI_EMSGSIZE);
    window_ = std::min({window, info_->tx_attr->size, info_->rx_attr->size});
    open();
    check_address();
    make_slots();
  }

  std::vector<char> name() const {
    std::vector<char> name(256);
    std::size_t size = name.size();
    require(fi_getname(&endpoint_->fid, name.data(), &size), "fi_getname");
    name.resize(size);
    return name;
  }

  fi_addr_t insert(const std::vector<char>& name) {
    fi_addr_t address = FI_ADDR_UNSPEC;
    if (fi_av_insert(addresses_.get(), name.data(), 1, &address, 0, nullptr) != 1)
      fail("fi_av_insert", -FI_EADDRNOTAVAIL);
    return address;
  }

  // Sends `sends` messages, a window at a time, and returns when `expected` more messages have
  // arrived. The last sends may still be in flight.
  void exchange(fi_addr_t peer, std::uint64_t sends, std::uint64_t expected, std::size_t bytes) {
    expected_ += expected;
    while (sends != 0 || received_ < expected_) {
      while (sends != 0 && try_send(peer, bytes)) --sends;
      progress();
    }
  }

  // Sends a message by fi_inject: the provider copies it at once, so there is no completion and no
  // window to wait for.
  void inject(fi_addr_t peer, std::size_t bytes) {
    ssize_t code;
    while ((code = fi_inject(endpoint_.get(), free_[0]->data, bytes, peer)) == -FI_EAGAIN)
      progress();
    require(code, "fi_inject");
  }

  void finish_sends() {
    while (free_.size() != window_) progress();
  }

  void progress() {
    fi_cq_entry done[16];
    const ssize_t count = fi_cq_read(completions_.get(), done, std::size(done));
    if (count == -FI_EAGAIN) return;
    if (count < 0) fail_completion();
    for (ssize_t i = 0; i < count; ++i) complete(static_cast<Slot*>(done[i].op_context));
  }

  std::size_t bytes() const { return bytes_; }
  std::size_t window() const { return window_; }
  std::size_t inject_limit() const { return info_->tx_attr->inject_size; }

 private:
  struct Slot {
    fi_context2 context;  // first member: space for the provider; a completion points to it
    char* data;
    bool receives;
  };

  void open() {
    fid_fabric* fabric;
    require(fi_fabric(info_->fabric_attr, &fabric, nullptr), "fi_fabric");
    fabric_.reset(fabric);
    fid_domain* domain;
    require(fi_domain(fabric, info_.get(), &domain, nullptr), "fi_domain");
    domain_.reset(domain);
    fid_ep* endpoint;
    require(fi_endpoint(domain, info_.get(), &endpoint, nullptr), "fi_endpoint");
    endpoint_.reset(endpoint);
    open_queue();
    open_addresses();
    require(fi_enable(endpoint), "fi_enable");
  }

  void open_queue() {
    fi_cq_attr attributes{};
    attributes.size = 4 * window_;
    attributes.format = FI_CQ_FORMAT_CONTEXT;
    fid_cq* queue;
    require(fi_cq_open(domain_.get(), &attributes, &queue, nullptr), "fi_cq_open");
    completions_.reset(queue);
    require(fi_ep_bind(endpoint_.get(), &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
  }

  void open_addresses() {
    fi_av_attr attributes{};
    attributes.type = FI_AV_TABLE;
    fid_av* addresses;
    require(fi_av_open(domain_.get(), &attributes, &addresses, nullptr), "fi_av_open");
    addresses_.reset(addresses);
    require(fi_ep_bind(endpoint_.get(), &addresses->fid, 0), "fi_ep_bind");
  }

  void check_address() const {
    if (info_->addr_format == FI_ADDR_STR) return;  // shm
    sockaddr_in address{};
    std::size_t size = sizeof address;
    require(fi_getname(&endpoint_->fid, &address, &size), "fi_getname");
    if (address.sin_family == AF_INET && ntohl(address.sin_addr.s_addr) == INADDR_LOOPBACK) return;
    fail("an address that is not 127.0.0.1", -FI_EADDRNOTAVAIL);
  }

  void make_slots() {
    memory_.resize(2 * window_ * bytes_);
    slots_.resize(2 * window_);
    if (info_->domain_attr->mr_mode & FI_MR_LOCAL) register_memory();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i] = {{}, memory_.data() + i * bytes_, i < window_};
      if (slots_[i].receives)
        receive(slots_[i]);
      else
        free_.push_back(&slots_[i]);
    }
  }

  void register_memory() {
    fid_mr* region;
    require(fi_mr_reg(domain_.get(), memory_.data(), memory_.size(), FI_SEND | FI_RECV, 0, 0, 0,
                      &region, nullptr),
            "fi_mr_reg");
    region_.reset(region);
    descriptor_ = fi_mr_desc(region);
  }

  void receive(Slot& slot) {
    ssize_t code;
    while ((code = fi_recv(endpoint_.get(), slot.data, bytes_, descriptor_, FI_ADDR_UNSPEC,
                           &slot.context)) == -FI_EAGAIN)
      progress();
    require(code, "fi_recv");
  }

  bool try_send(fi_addr_t peer, std::size_t bytes) {
    if (free_.empty()) return false;
    Slot& slot = *free_.back();
    const ssize_t code =
        fi_send(endpoint_.get(), slot.data, bytes, descriptor_, peer, &slot.context);
    if (code == -FI_EAGAIN) return false;
    require(code, "fi_send");
    free_.pop_back();
    return true;
  }

  void complete(Slot* slot) {
    if (!slot->receives) return free_.push_back(slot);
    ++received_;
    receive(*slot);
  }

  [[noreturn]] void fail_completion() {
    fi_cq_err_entry error{};
    fi_cq_readerr(completions_.get(), &error, 0);
    fail("completion", -error.err);
  }

  // Destructors run in reverse order: an object is closed before those that it was made from.
  Info info_;
  std::size_t bytes_, window_;
  std::vector<char> memory_;
  std::vector<Slot> slots_;
  std::vector<Slot*> free_;  // free send slots
  void* descriptor_ = nullptr;
  std::uint64_t received_ = 0, expected_ = 0;
  Handle<fid_fabric> fabric_;
  Handle<fid_domain> domain_;
  Handle<fid_mr> region_;
  Handle<fid_av> addresses_;
  Handle<fid_cq> completions_;
  Handle<fid_ep> endpoint_;
};

}  // namespace baseline
