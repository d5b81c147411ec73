// A libfabric in memory that is as strict as any provider may be. It replaces the library for the
// endpoints of one test, whose processes are threads.
//
// It requires everything that network cards require: registered memory with descriptors, keys that
// the provider chooses, virtual addresses, memory bound to the endpoint. It moves nothing unless
// the owner of an endpoint polls, returns EAGAIN at random, and lets operations overtake each
// other. It reads a buffer as late as allowed and overwrites it afterwards, and it uses the words
// of contexts. Violations of rules are recorded as complaints.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hal/random.hpp"
#include "router/ofi/libfabric.hpp"
#include "tests/router/ofi/strict_objects.hpp"

namespace toroid::testing {

/// Must outlive the endpoints that are opened while it exists.
class StrictLibfabric {
 public:
  static constexpr const char* kName = kStrictName;

  explicit StrictLibfabric(StrictOptions options) : options_(options), random_(options.seed) {
    real_ = ofi::library();
    now_ = this;
    replacement_ = real_;
    replacement_.getinfo = &getinfo;
    replacement_.dupinfo = &dupinfo;
    replacement_.fabric = &open_fabric;
    ofi::replace_library(&replacement_);
  }
  ~StrictLibfabric() {
    ofi::replace_library(nullptr);
    now_ = nullptr;
  }
  StrictLibfabric(const StrictLibfabric&) = delete;

  /// The violations of rules so far, in the order of events.
  std::vector<std::string> complaints() {
    const std::lock_guard lock(mutex_);
    return complaints_;
  }
  /// Number of frames written and of messages received so far.
  std::uint64_t writes() const { return writes_; }
  std::uint64_t messages() const { return messages_; }
  /// Number of completed reads.
  std::uint64_t reads() const { return reads_; }
  /// From now on registering memory fails with this error.
  void registering_fails(int error) {
    const std::lock_guard lock(mutex_);
    options_.registering_fails = error;
  }
  std::size_t regions() {
    const std::lock_guard lock(mutex_);
    return regions_.size();
  }

 private:
  using Addresses = strict::Addresses;
  using Domain = strict::Domain;
  using Endpoint = strict::Endpoint;
  using Posted = strict::Posted;
  using Queue = strict::Queue;
  using Region = strict::Region;

  // Guards every call: one at a time, and one thread per domain.
  class Call {
   public:
    explicit Call(Domain* domain) : domain_(domain) {
      const bool is_alone = domain == nullptr || !domain->is_in_use.exchange(true);
      lock_ = std::unique_lock(now_->mutex_);
      if (!is_alone) now_->complain("two threads use a domain at the same time");
    }
    ~Call() {
      if (domain_ != nullptr) domain_->is_in_use = false;
    }
    Call(const Call&) = delete;

   private:
    Domain* domain_;
    std::unique_lock<std::mutex> lock_;
  };

  void complain(std::string what) { complaints_.push_back(std::move(what)); }
  void expect(bool holds, const char* rule) {
    if (!holds) complain(rule);
  }
  bool is_busy() { return random_.below(100) < options_.busy; }
  bool is_late() { return random_.below(100) < options_.late; }
  template <typename T>
  T take_any(std::vector<T>& from) {
    const auto at = from.begin() + random_.below(static_cast<std::uint32_t>(from.size()));
    T value = std::move(*at);
    from.erase(at);
    return value;
  }

  static int getinfo(std::uint32_t, const char*, const char*, std::uint64_t, const fi_info* hints,
                     fi_info** found) {
    return strict::find_cards(now_->real_, now_->options_, hints, found);
  }
  static fi_info* dupinfo(const fi_info* info) { return strict::copy_of(now_->real_, info); }

  static int open_fabric(fi_fabric_attr*, fid_fabric** opened, void*) {
    static fi_ops_fabric ops =
        strict::table_of<fi_ops_fabric>([](auto& table) { table.domain = &open_domain; });
    static fi_ops close = strict::table_of<fi_ops>([](auto& table) {
      table.close = [](struct fid* fid) {
        delete strict::object_of<fid_fabric>(fid);
        return 0;
      };
    });
    auto* fabric = new fid_fabric{};
    strict::name(*fabric, fabric, FI_CLASS_FABRIC, close);
    fabric->ops = &ops;
    *opened = fabric;
    return 0;
  }

  static int open_domain(fid_fabric*, fi_info*, fid_domain** opened, void*) {
    static fi_ops_domain ops = strict::table_of<fi_ops_domain>([](auto& table) {
      table.av_open = &open_addresses;
      table.cq_open = &open_queue;
      table.endpoint = &open_endpoint;
    });
    static fi_ops_mr memory =
        strict::table_of<fi_ops_mr>([](auto& table) { table.reg = &register_memory; });
    static fi_ops close = strict::table_of<fi_ops>([](auto& table) {
      table.close = [](struct fid* fid) {
        auto* domain = strict::object_of<Domain>(fid);
        now_->expect(domain->children == 0, "a domain closes before its objects");
        delete domain;
        return 0;
      };
    });
    auto* domain = new Domain;
    strict::name(domain->fid, domain, FI_CLASS_DOMAIN, close);
    domain->fid.ops = &ops;
    domain->fid.mr = &memory;
    *opened = &domain->fid;
    return 0;
  }

  template <typename T>
  static T* opened_in(fid_domain* domain) {
    auto* object = new T;
    object->domain = strict::object_of<Domain>(domain);
    ++object->domain->children;
    return object;
  }
  template <typename T>
  static int close_object(struct fid* fid) {
    T* const object = strict::object_of<T>(fid);
    const Call call(object->domain);
    if constexpr (std::is_same_v<T, Endpoint>) {
      now_->expect(object->regions == 0,
                   "an endpoint closes before the memory that is bound to it");
      now_->endpoints_.erase(object->number);
    }
    if constexpr (std::is_same_v<T, Region>) {
      now_->regions_.erase(object->fid.key);
      if (object->bound != nullptr) --object->bound->regions;
    }
    --object->domain->children;
    delete object;
    return 0;
  }

  static int open_addresses(fid_domain* domain, fi_av_attr*, fid_av** opened, void*) {
    static fi_ops_av ops =
        strict::table_of<fi_ops_av>([](auto& table) { table.insert = &insert_addresses; });
    static fi_ops close =
        strict::table_of<fi_ops>([](auto& table) { table.close = &close_object<Addresses>; });
    auto* addresses = opened_in<Addresses>(domain);
    strict::name(addresses->fid, addresses, FI_CLASS_AV, close);
    addresses->fid.ops = &ops;
    *opened = &addresses->fid;
    return 0;
  }
  /// An address is the number of an endpoint.
  static int insert_addresses(fid_av* av, const void* address, std::size_t count, fi_addr_t* to,
                              std::uint64_t, void*) {
    const Call call(strict::object_of<Addresses>(av)->domain);
    now_->expect(count == 1, "more than one address at a time");
    std::memcpy(to, address, sizeof(*to));
    return 1;
  }

  static int open_queue(fid_domain* domain, fi_cq_attr* attr, fid_cq** opened, void*) {
    static fi_ops_cq ops = strict::table_of<fi_ops_cq>([](auto& table) {
      table.read = &read_queue;
      table.readerr = &read_error;
    });
    static fi_ops close =
        strict::table_of<fi_ops>([](auto& table) { table.close = &close_object<Queue>; });
    auto* queue = opened_in<Queue>(domain);
    now_->expect(attr->format == FI_CQ_FORMAT_DATA, "a queue without FI_CQ_FORMAT_DATA");
    queue->size = attr->size;
    strict::name(queue->fid, queue, FI_CLASS_CQ, close);
    queue->fid.ops = &ops;
    *opened = &queue->fid;
    return 0;
  }

  static int open_endpoint(fid_domain* domain, fi_info*, fid_ep** opened, void*) {
    static fi_ops_cm cm =
        strict::table_of<fi_ops_cm>([](auto& table) { table.getname = &name_of_endpoint; });
    static fi_ops_msg msg = strict::table_of<fi_ops_msg>([](auto& table) {
      table.recv = &receive;
      table.send = &send;
    });
    static fi_ops_rma rma = strict::table_of<fi_ops_rma>([](auto& table) {
      table.writedata = &write;
      table.read = &read;
    });
    static fi_ops ops = strict::table_of<fi_ops>([](auto& table) {
      table.close = &close_object<Endpoint>;
      table.bind = &bind_endpoint;
      table.control = [](struct fid* fid, int command, void*) {
        strict::object_of<Endpoint>(fid)->is_enabled = command == FI_ENABLE;
        return 0;
      };
    });
    auto* endpoint = opened_in<Endpoint>(domain);
    const Call call(endpoint->domain);
    endpoint->number = ++now_->numbers_;
    now_->endpoints_[endpoint->number] = endpoint;
    strict::name(endpoint->fid, endpoint, FI_CLASS_EP, ops);
    endpoint->fid.cm = &cm;
    endpoint->fid.msg = &msg;
    endpoint->fid.rma = now_->options_.writes ? &rma : nullptr;
    *opened = &endpoint->fid;
    return 0;
  }
  static int bind_endpoint(struct fid* fid, struct fid* other, std::uint64_t) {
    if (other->fclass == FI_CLASS_CQ)
      strict::object_of<Endpoint>(fid)->queue = strict::object_of<Queue>(other);
    return 0;
  }
  static int name_of_endpoint(fid_t fid, void* address, std::size_t* bytes) {
    if (*bytes < sizeof(std::uint64_t)) return -FI_ETOOSMALL;
    *bytes = sizeof(std::uint64_t);
    std::memcpy(address, &strict::object_of<Endpoint>(fid)->number, *bytes);
    return 0;
  }

  // Memory.
  static bool has_mode(std::uint64_t bit) { return (now_->options_.mr_mode & bit) != 0; }
  static int register_memory(struct fid* fid, const void* begin, std::size_t bytes,
                             std::uint64_t access, std::uint64_t, std::uint64_t requested,
                             std::uint64_t, fid_mr** opened, void*) {
    static fi_ops ops = strict::table_of<fi_ops>([](auto& table) {
      table.close = &close_object<Region>;
      table.bind = &bind_region;
      table.control = [](struct fid* region, int, void*) {
        strict::object_of<Region>(region)->is_enabled = now_->options_.enabling_fails == 0;
        return -now_->options_.enabling_fails;
      };
    });
    auto* const domain = reinterpret_cast<fid_domain*>(fid);
    const Call call(strict::object_of<Domain>(domain));
    if (now_->options_.registering_fails != 0) return -now_->options_.registering_fails;
    auto* region = opened_in<Region>(domain);
    region->begin = static_cast<std::byte*>(const_cast<void*>(begin));
    region->bytes = bytes;
    region->access = access;
    region->is_enabled = !has_mode(FI_MR_ENDPOINT);
    strict::name(region->fid, region, FI_CLASS_MR, ops);
    region->fid.mem_desc = region;
    // All processes of the test share the table, so keys drawn by users must differ.
    region->fid.key = has_mode(FI_MR_PROV_KEY) ? mix64(++now_->numbers_) : requested;
    now_->regions_.emplace(region->fid.key, region);
    *opened = &region->fid;
    return 0;
  }
  static int bind_region(struct fid* fid, struct fid* endpoint, std::uint64_t) {
    strict::object_of<Region>(fid)->bound = strict::object_of<Endpoint>(endpoint);
    ++strict::object_of<Endpoint>(endpoint)->regions;
    return 0;
  }
  void expect_registered(const Endpoint& endpoint, const Posted& posted, void* descriptor,
                         std::uint64_t access) {
    if (!has_mode(FI_MR_LOCAL)) return;
    const auto* region = static_cast<const Region*>(descriptor);
    if (region == nullptr) return complain("a buffer without a descriptor");
    expect(region->domain == endpoint.domain && region->is_enabled, "memory that is not enabled");
    expect((region->access & access) == access, "memory registered for another use");
    expect(posted.buffer >= region->begin &&
               posted.buffer + posted.bytes <= region->begin + region->bytes,
           "a buffer outside the registered memory");
  }
  long post(Endpoint& endpoint, Posted posted, void* descriptor, std::uint64_t access,
            std::vector<Posted>& to) {
    expect(endpoint.is_enabled, "an operation before the endpoint is enabled");
    expect_registered(endpoint, posted, descriptor, access);
    if (is_busy()) return -FI_EAGAIN;
    for (std::uintptr_t& word : posted.words) word = random_.next();
    std::memcpy(posted.context, posted.words.data(), sizeof(strict::Words));
    to.push_back(posted);
    return 0;
  }
  static ssize_t receive(fid_ep* ep, void* buffer, std::size_t bytes, void* descriptor, fi_addr_t,
                         void* context) {
    auto& endpoint = *strict::object_of<Endpoint>(ep);
    const Call call(endpoint.domain);
    return now_->post(endpoint, {static_cast<std::byte*>(buffer), bytes, context, {}}, descriptor,
                      FI_RECV, endpoint.receiving);
  }
  static ssize_t send(fid_ep* ep, const void* buffer, std::size_t bytes, void* descriptor,
                      fi_addr_t to, void* context) {
    return go(ep, buffer, bytes, descriptor, to, context, FI_SEND, 0, 0, 0, 0);
  }
  static ssize_t write(fid_ep* ep, const void* buffer, std::size_t bytes, void* descriptor,
                       std::uint64_t data, fi_addr_t to, std::uint64_t place, std::uint64_t key,
                       void* context) {
    return go(ep, buffer, bytes, descriptor, to, context, FI_WRITE, FI_REMOTE_WRITE, data, place,
              key);
  }
  static ssize_t read(fid_ep* ep, void* buffer, std::size_t bytes, void* descriptor, fi_addr_t from,
                      std::uint64_t place, std::uint64_t key, void* context) {
    return go(ep, buffer, bytes, descriptor, from, context, FI_READ, FI_REMOTE_READ, 0, place, key);
  }
  static ssize_t go(fid_ep* ep, const void* buffer, std::size_t bytes, void* descriptor,
                    fi_addr_t to, void* context, std::uint64_t local, std::uint64_t remote,
                    std::uint64_t data, std::uint64_t place, std::uint64_t key) {
    auto& endpoint = *strict::object_of<Endpoint>(ep);
    const Call call(endpoint.domain);
    if (!now_->endpoints_.contains(to)) return -FI_ECONNREFUSED;
    now_->expect(data <= UINT32_MAX, "more data than four bytes");
    return now_->post(endpoint,
                      {static_cast<std::byte*>(const_cast<void*>(buffer)),
                       bytes,
                       context,
                       {},
                       to,
                       remote,
                       data,
                       place,
                       key},
                      descriptor, local, endpoint.sending);
  }

  // Operations move only while the owner of their endpoint polls.
  static ssize_t read_queue(fid_cq* cq, void* buffer, std::size_t count) {
    auto& queue = *strict::object_of<Queue>(cq);
    const Call call(queue.domain);
    for (auto& [number, endpoint] : now_->endpoints_)
      if (endpoint->queue == &queue) now_->progress(*endpoint);
    if (!queue.errors.empty()) return -FI_EAVAIL;
    auto* entries = static_cast<fi_cq_data_entry*>(buffer);
    std::size_t read = 0;
    while (read < count && !queue.entries.empty()) entries[read++] = now_->take_any(queue.entries);
    return read == 0 ? -FI_EAGAIN : static_cast<ssize_t>(read);
  }
  static ssize_t read_error(fid_cq* cq, fi_cq_err_entry* entry, std::uint64_t) {
    auto& queue = *strict::object_of<Queue>(cq);
    const Call call(queue.domain);
    if (queue.errors.empty()) return -FI_EAGAIN;
    *entry = now_->take_any(queue.errors);
    return 1;
  }

  void progress(Endpoint& endpoint) {
    while (!endpoint.sending.empty() && !is_late()) depart(endpoint, take_any(endpoint.sending));
    for (std::size_t i = endpoint.arriving.size(); i > 0 && !is_late(); --i) {
      strict::UnderWay coming = take_any(endpoint.arriving);
      if (coming.operation.remote != 0)
        arrive_remote(endpoint, coming);
      else if (endpoint.receiving.empty())
        endpoint.arriving.push_back(std::move(coming));
      else
        arrive_message(endpoint, coming);
    }
  }
  /// Sends an operation. Overwrites the buffer, which then belongs to its owner again.
  void depart(Endpoint& from, Posted operation) {
    const auto target = endpoints_.find(operation.target);
    if (target == endpoints_.end()) return fail(from, operation, FI_ECONNRESET);
    strict::UnderWay leaving{
        from.number, operation, {operation.buffer, operation.buffer + operation.bytes}};
    std::fill(operation.buffer, operation.buffer + operation.bytes, std::byte{0xcd});
    if (operation.remote == 0) complete(from, operation, FI_SEND | FI_MSG, operation.bytes);
    target->second->arriving.push_back(std::move(leaving));
  }
  void arrive_message(Endpoint& endpoint, const strict::UnderWay& coming) {
    const Posted buffer = take_any(endpoint.receiving);
    if (coming.bytes.size() > buffer.bytes) return fail(endpoint, buffer, FI_ETRUNC);
    std::ranges::copy(coming.bytes, buffer.buffer);
    ++messages_;
    complete(endpoint, buffer, FI_RECV | FI_MSG, coming.bytes.size());
  }
  /// A remote operation completes at its origin when its bytes have been written or read, or when
  /// it has been refused.
  void arrive_remote(Endpoint& endpoint, const strict::UnderWay& coming) {
    const Posted& operation = coming.operation;
    const auto from = endpoints_.find(coming.from);
    const bool is_read = operation.remote == FI_REMOTE_READ;
    std::byte* const place =
        strict::place_of(regions_, *endpoint.domain, operation, has_mode(FI_MR_VIRT_ADDR));
    if (from != endpoints_.end() && place == nullptr) fail(*from->second, operation, FI_EACCES);
    if (place == nullptr || (is_read && from == endpoints_.end())) return;
    if (is_read) std::copy_n(place, operation.bytes, operation.buffer);
    if (from != endpoints_.end())
      complete(*from->second, operation, FI_RMA | (is_read ? FI_READ : FI_WRITE), operation.bytes);
    if (is_read) return void(++reads_);
    std::ranges::copy(coming.bytes, place);
    ++writes_;
    fi_cq_data_entry entry{};
    entry.flags = FI_REMOTE_WRITE | FI_RMA | FI_REMOTE_CQ_DATA;
    if (options_.bare_data) entry.flags = FI_REMOTE_CQ_DATA;
    if (options_.bare_data) entry.op_context = operation.context;
    entry.data = operation.data;
    push(*endpoint.queue, entry);
  }

  void expect_words(const Posted& operation) {
    expect(std::memcmp(operation.context, operation.words.data(), sizeof(strict::Words)) == 0,
           "a context that changed while its operation lasted");
  }
  void complete(Endpoint& endpoint, const Posted& operation, std::uint64_t flags,
                std::size_t bytes) {
    expect_words(operation);
    fi_cq_data_entry entry{};
    entry.op_context = operation.context;
    const bool is_strange = options_.strange_context && (flags & FI_RECV) != 0;
    if (is_strange) entry.op_context = static_cast<std::byte*>(operation.context) + 8;
    entry.flags = flags;
    entry.len = (flags & FI_RECV) != 0 ? bytes : 0;  // undefined for other operations
    push(*endpoint.queue, entry);
  }
  void push(Queue& queue, const fi_cq_data_entry& entry) {
    queue.entries.push_back(entry);
    expect(queue.entries.size() <= queue.size, "more completions than the queue is for");
  }
  void fail(Endpoint& endpoint, const Posted& operation, int error) {
    expect_words(operation);
    fi_cq_err_entry entry{};
    entry.op_context = operation.context;
    entry.err = error;
    endpoint.queue->errors.push_back(entry);
  }

  inline static StrictLibfabric* now_ = nullptr;

  StrictOptions options_;
  std::mutex mutex_;  ///< guards the members below
  Random random_;
  ofi::Library real_{};
  ofi::Library replacement_{};
  std::vector<std::string> complaints_;
  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, Endpoint*> endpoints_;  ///< [number]
  strict::Regions regions_;                       ///< [key]
  std::atomic<std::uint64_t> writes_{0};
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> reads_{0};
};

}  // namespace toroid::testing
