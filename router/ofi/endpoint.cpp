#include "router/ofi/endpoint.hpp"

#include <fmt/core.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "router/job/key.hpp"
#include "router/ofi/libfabric.hpp"
#include "router/ofi/shared_segment.hpp"
#include "router/threads/system_failure.hpp"

namespace toroid::ofi {
namespace {

/// Minimum size of the completion queue.
constexpr std::size_t kLeastQueue = 1024;
constexpr std::string_view kFrames = "the frames' memory";
constexpr std::string_view kOfPut = "the memory of a put (not needed with --frames messages)";

void check(long result, std::string_view what) {
  if (result < 0)
    throw RunFailed(fmt::format(
        "libfabric cannot {}: {}{}{}", what, library().strerror(static_cast<int>(-result)),
        open_files_remedy({static_cast<int>(-result), std::generic_category()}), user_settings()));
}

/// Throws RunFailed if libfabric has not registered the memory. A network card may need the memory
/// locked, and the system limits how much a process may lock; the message mentions this limit if it
/// may be the reason.
void check_registered(long result, std::string_view what, std::size_t bytes) {
  if (result == 0) return;
  std::string text = fmt::format("libfabric cannot register {}, {} KiB: {}", what, bytes / 1024,
                                 library().strerror(static_cast<int>(-result)));
  rlimit locked{};
  const bool lacks_memory = result == -FI_ENOMEM || result == -FI_EAGAIN || result == -FI_EPERM;
  if (lacks_memory && ::getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY)
    text += fmt::format("; the limit of locked memory is {} KiB, raise it (ulimit -l)",
                        locked.rlim_cur / 1024);
  throw RunFailed(text);
}

/// A key that strangers cannot guess, for providers that do not draw keys themselves. `bytes`: its
/// length.
std::uint64_t random_key(std::size_t bytes) {
  const std::uint64_t word = random_word();
  return bytes < sizeof(word) ? word & ((std::uint64_t{1} << (8 * bytes)) - 1) : word;
}

Info info_of(const Candidate& provider) {
  TOROID_CHECK(provider.info != nullptr);
  return copy_of(*provider.info);
}

void* descriptor_of(fid_mr* region) {
  return region == nullptr ? nullptr : ::fi_mr_desc(region);
}

}  // namespace

Endpoint::Endpoint(const Candidate& provider, FrameBuffers& buffers, std::string segment)
    : info_(info_of(provider)),
      segment_(std::move(segment)),
      writes_(provider.writes),
      least_read_(provider.least_read),
      buffers_(&buffers) {
  const KeptSignalHandlers kept;
  auto* const info = info_.get();
  fid_fabric* fabric = nullptr;
  check(library().fabric(info->fabric_attr, &fabric, nullptr), "open the fabric");
  fabric_.reset(fabric);
  fid_domain* domain = nullptr;
  check(::fi_domain(fabric, info, &domain, nullptr), "open the domain");
  domain_.reset(domain);
  open_queue();
  fi_av_attr peers_attr{};
  fid_av* peers = nullptr;
  check(::fi_av_open(domain, &peers_attr, &peers, nullptr), "open an address vector");
  peers_.reset(peers);
  fid_ep* endpoint = nullptr;
  check(::fi_endpoint(domain, info, &endpoint, nullptr), "open an endpoint");
  endpoint_.reset(endpoint);
  set_name();
  check(::fi_ep_bind(endpoint, &peers->fid, 0), "bind the address vector");
  check(::fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV), "bind the completion queue");
  enable();
  const bool is_local = has_mode(FI_MR_LOCAL);
  if (is_local || writes_)
    inward_ =
        registered(kFrames, buffers.inward_memory(), FI_RECV | (writes_ ? FI_REMOTE_WRITE : 0));
  if (is_local)
    outward_ = registered(kFrames, buffers.outward_memory(), FI_SEND | (writes_ ? FI_WRITE : 0));
}

void Endpoint::open_queue() {
  fi_cq_attr attr{};
  attr.size = std::max(kLeastQueue, buffers_->operations() + kMostReads);
  attr.format = FI_CQ_FORMAT_DATA;
  attr.wait_obj = FI_WAIT_NONE;
  fid_cq* queue = nullptr;
  check(::fi_cq_open(domain_.get(), &attr, &queue, nullptr), "open a completion queue");
  queue_.reset(queue);
}

/// Left to itself, the provider `shm` names segments after process and user ids, which are not
/// unique where containers share /dev/shm.
void Endpoint::set_name() {
  if (segment_.empty()) return;
  std::string address = "fi_shm://" + segment_;
  check(::fi_setname(&endpoint_->fid, address.data(), address.size() + 1), "name the endpoint");
}

/// If a dead process has left a segment of the same name, libfabric removes that and reports EBUSY;
/// the second attempt succeeds.
void Endpoint::enable() {
  const auto attempt = [this] {
    const int result = ::fi_enable(endpoint_.get());
    return result == -FI_EBUSY ? ::fi_enable(endpoint_.get()) : result;
  };
  if (segment_.empty()) return check(attempt(), "enable the endpoint");
  check(create_segment(segment_, attempt, [this] { endpoint_.reset(); }), "enable the endpoint");
}

Endpoint::Object<fid_mr> Endpoint::registered(std::string_view what,
                                              std::span<const std::byte> memory,
                                              std::uint64_t access) {
  if (memory.empty()) return nullptr;
  const std::uint64_t key = random_key(info_->domain_attr->mr_key_size);
  fid_mr* opened = nullptr;
  check_registered(
      ::fi_mr_reg(domain_.get(), memory.data(), memory.size(), access, 0, key, 0, &opened, nullptr),
      what, memory.size());
  Object<fid_mr> region(opened);
  if (!has_mode(FI_MR_ENDPOINT)) return region;
  check(::fi_mr_bind(opened, &endpoint_->fid, 0), fmt::format("bind {}", what));
  check(::fi_mr_enable(opened), fmt::format("enable {}", what));
  return region;
}

struct Endpoint::OpenRegion final : Region {
  OpenRegion(std::uint64_t address, Object<fid_mr> opened)
      : Region({address, opened == nullptr ? 0 : ::fi_mr_key(opened.get())}),
        memory(std::move(opened)) {}
  Object<fid_mr> memory;  ///< null if no registration is needed
};

std::unique_ptr<Region> Endpoint::expose(std::span<const std::byte> memory) {
  return std::make_unique<OpenRegion>(address_of(memory.data()),
                                      registered(kOfPut, memory, FI_REMOTE_READ));
}

std::unique_ptr<Region> Endpoint::open(std::span<std::byte> memory) {
  if (!has_mode(FI_MR_LOCAL)) return std::make_unique<OpenRegion>(0, nullptr);
  return std::make_unique<OpenRegion>(0, registered(kOfPut, memory, FI_READ));
}

/// Over TCP, libfabric 1.17 aborts the process when it closes a connection on which only a part of
/// a written frame has arrived, because it finds no operation for that frame. So the endpoint then
/// stays open until the process ends. This is harmless, because the provider moves data only when
/// it is called.
void Endpoint::close() {
  inward_.reset();
  outward_.reset();
  if (writes_ && info_->fabric_attr->prov_name == std::string_view("tcp;ofi_rxm"))
    static_cast<void>(endpoint_.release());
  endpoint_.reset();
}

Contact Endpoint::contact() const {
  Contact contact{.address = Address(256)};
  Address& address = contact.address;
  std::size_t bytes = address.size();
  int result = ::fi_getname(&endpoint_->fid, address.data(), &bytes);
  address.resize(bytes);
  if (result == -FI_ETOOSMALL) result = ::fi_getname(&endpoint_->fid, address.data(), &bytes);
  check(result, "look up the endpoint's address");
  if (!writes_ || inward_ == nullptr) return contact;
  contact.key = ::fi_mr_key(inward_.get());
  contact.memory = address_of(buffers_->inward_memory().data());
  return contact;
}

namespace {

/// Whether libfabric reads no further than the end of another process's address: a text must end
/// with a zero byte, any other address must be as long as this process's own.
bool is_whole(const Address& address, const Address& own, std::uint32_t format) {
  return format == FI_ADDR_STR ? address.back() == std::byte{0} : address.size() == own.size();
}

}  // namespace

void Endpoint::insert(const std::vector<Peer>& peers) {
  const Address own = contact().address;
  for (const Peer& peer : peers) {
    const std::size_t offset = peer.window * FrameBuffers::stride(buffers_->limits());
    remotes_.push_back({.address = FI_ADDR_UNSPEC,
                        .window = peer.contact.memory + offset,
                        .key = peer.contact.key,
                        .first = peer.window});
    const Address& address = peer.contact.address;
    if (address.empty()) continue;
    if (!is_whole(address, own, info_->addr_format))
      throw RunFailed(fmt::format("process {} sent an address of a wrong length, {} bytes",
                                  remotes_.size() - 1, address.size()));
    expect_room(32, "for a peer");
    const int inserted =
        ::fi_av_insert(peers_.get(), address.data(), 1, &remotes_.back().address, 0, nullptr);
    if (inserted != 1)
      throw RunFailed("libfabric cannot use the address of a process" + user_settings());
  }
}

/// Each process sends an empty message to each peer and waits for theirs. libfabric opens the
/// segment of a peer when it first sends to it or hears from it.
void Endpoint::meet(std::span<const unsigned> peers, const std::function<void()>& wait) {
  if (segment_.empty()) return;
  std::vector<fi_context2> contexts(2 * peers.size());
  std::byte nothing{};
  for (std::size_t i = 0; i < peers.size(); ++i)
    check(
        ::fi_recv(endpoint_.get(), &nothing, sizeof nothing, nullptr, FI_ADDR_UNSPEC, &contexts[i]),
        "receive");
  std::size_t sent = 0, completed = 0;
  fi_cq_data_entry entry{};
  while (completed < contexts.size()) {
    const long read = ::fi_cq_read(queue_.get(), &entry, 1);
    if (read != -FI_EAGAIN) check(read, "open the memory of other processes");
    if (read == 1) ++completed;
    if (sent == peers.size() || !greet(peers[sent], nothing, contexts[peers.size() + sent])) {
      if (read != 1) wait();
      continue;
    }
    ++sent;
  }
  unlink_segment(segment_);
}

/// Whether an empty message is on its way; if not, it can be tried again.
bool Endpoint::greet(unsigned peer, std::byte& nothing, fi_context2& context) {
  const long result =
      ::fi_send(endpoint_.get(), &nothing, 0, nullptr, remotes_[peer].address, &context);
  if (result != -FI_EAGAIN) check(result, "open the memory of another process");
  return result == 0;
}

bool Endpoint::try_send(Operation& operation) {
  return has_begun(operation, is_written(operation) ? write(operation) : send(operation));
}

/// Whether the operation has begun; if not, it can be tried again. If libfabric refuses it for
/// another reason, such as a lost peer, it counts as begun, and poll() reports its error.
bool Endpoint::has_begun(Operation& operation, long result) {
  if (result == -FI_EAGAIN) return false;
  if (result != 0) refused_.push_back({&operation, static_cast<int>(-result)});
  return true;
}

bool Endpoint::try_read(ReadOperation& operation) {
  auto* const local = static_cast<const OpenRegion*>(operation.into)->memory.get();
  const long result = ::fi_read(endpoint_.get(), operation.buffer.data(), operation.buffer.size(),
                                descriptor_of(local), remotes_[operation.peer].address,
                                operation.from.address, operation.from.key, &operation.context);
  if (result == 0) reading_.push_back(&operation);
  return has_begun(operation, result);
}

long Endpoint::send(Operation& operation) {
  return ::fi_send(endpoint_.get(), operation.buffer.data(), operation.bytes,
                   descriptor_of(outward_.get()), remotes_[operation.peer].address,
                   &operation.context);
}

long Endpoint::write(Operation& operation) {
  const Remote& to = remotes_[operation.peer];
  const std::uint64_t place = to.window + operation.slot * FrameBuffers::stride(buffers_->limits());
  return ::fi_writedata(endpoint_.get(), operation.buffer.data(), operation.bytes,
                        descriptor_of(outward_.get()), to.first + operation.slot, to.address, place,
                        to.key, &operation.context);
}

/// A buffer that a peer writes to need not be posted: the peer knows when it is free.
bool Endpoint::try_receive(Operation& operation) {
  if (is_written(operation)) return true;
  const long result = ::fi_recv(endpoint_.get(), operation.buffer.data(), operation.buffer.size(),
                                descriptor_of(inward_.get()), FI_ADDR_UNSPEC, &operation.context);
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
  std::array<fi_cq_data_entry, 16> entries;
  const auto most = std::min(entries.size(), completions.size());
  const long count = ::fi_cq_read(queue_.get(), entries.data(), most);
  if (count == -FI_EAGAIN) return 0;
  if (count != -FI_EAVAIL) check(count, "read completions");
  if (count < 0) return poll_error(completions);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    completions[i] = completion_of(entries[i]);
  return static_cast<std::size_t>(count);
}

namespace {

/// Whether a peer has written a frame here. For such a frame the provider shm of libfabric 2.1 sets
/// FI_REMOTE_CQ_DATA but not FI_REMOTE_WRITE, and returns the writer's context. FI_REMOTE_CQ_DATA
/// is enough, because messages of toroid never carry data.
bool was_written(std::uint64_t flags) {
  return (flags & FI_REMOTE_WRITE) != 0 ||
         (flags & (FI_REMOTE_CQ_DATA | FI_RECV)) == FI_REMOTE_CQ_DATA;
}

}  // namespace

Completion Endpoint::completion_of(const fi_cq_data_entry& entry) {
  if (!was_written(entry.flags)) {
    Operation& operation = completed(entry.op_context, entry.flags);
    if (operation.receives) operation.bytes = entry.len;
    return {&operation, 0};
  }
  const std::span<Operation> inward = buffers_->inward();
  if (entry.data >= inward.size() || !is_written(inward[entry.data])) return {nullptr, 0};
  return {&inward[entry.data], 0, true};
}

/// The operation whose context libfabric has returned. Throws RunFailed if `context` is not the
/// address of an operation of this endpoint; such a pointer is not dereferenced.
Operation& Endpoint::completed(void* context, std::uint64_t flags) {
  const auto read = std::ranges::find(reading_, context);
  if (read != reading_.end())
    reading_.erase(read);
  else if (!buffers_->holds(context))
    throw RunFailed(fmt::format(
        "libfabric's provider {} completed an operation that this process did not start (flags "
        "{:#x})",
        info_->fabric_attr->prov_name, flags));
  return *static_cast<Operation*>(context);
}

std::size_t Endpoint::poll_error(std::span<Completion> completions) {
  fi_cq_err_entry error{};
  const long read = ::fi_cq_readerr(queue_.get(), &error, 0);
  if (read == -FI_EAGAIN) return 0;
  check(read, "read a completion");
  // The failed operation belongs to the provider, or to a peer that writes and gets the error as
  // well.
  if (error.op_context == nullptr || was_written(error.flags)) return 0;
  Operation& operation = completed(error.op_context, error.flags);
  const bool too_long = operation.receives && error.err == FI_ETRUNC;
  completions.front() = {&operation, too_long ? kTooLong : error.err};
  return 1;
}

std::string Endpoint::text_of(int error) const {
  return library().strerror(error);
}

}  // namespace toroid::ofi
