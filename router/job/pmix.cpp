// The place in a job by PMIx, under mpirun or srun. Process 0 draws the key and opens its port; the
// launcher's own connections, which no stranger has, carry both to the others.
#include <fmt/core.h>
#include <pmix.h>
#include <pmix_common.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/job/membership.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr const char* kMeeting = "toroid.job";
constexpr const char* kLoopback = "127.0.0.1";

void expect(pmix_status_t status, const char* what) {
  if (status != PMIX_SUCCESS)
    throw RunFailed(fmt::format("PMIx cannot {}: {}", what, PMIx_Error_string(status)));
}

/// A session with PMIx, from PMIx_Init to PMIx_Finalize. It is closed as soon as all is exchanged:
/// after PMIx_Finalize mpirun accepts any end of the process as a regular one.
class Session {
 public:
  Session() { expect(PMIx_Init(&self_, nullptr, 0), "be reached"); }
  ~Session() { PMIx_Finalize(nullptr, 0); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  unsigned rank() const { return self_.rank; }

  /// A number that the launcher knows about the whole job; 0 if it does not.
  std::uint32_t of_job(const char* name) const {
    const Value value(process(PMIX_RANK_WILDCARD), name);
    return value.get() == nullptr || value.get()->type != PMIX_UINT32 ? 0
                                                                      : value.get()->data.uint32;
  }

  void publish(const Blob& bytes) const {
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
    value.data.bo.size = bytes.size();
    expect(PMIx_Put(PMIX_GLOBAL, kMeeting, &value), "publish an address");
    expect(PMIx_Commit(), "publish an address");
  }

  void exchange() const {
    const pmix_proc_t all = process(PMIX_RANK_WILDCARD);
    const bool collect = true;
    pmix_info_t info{};
    std::strncpy(info.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = collect;
    expect(PMIx_Fence(&all, 1, &info, 1), "exchange addresses");
  }

  Blob published_by_0() const {
    const Value value(process(0), kMeeting);
    if (value.get() == nullptr || value.get()->type != PMIX_BYTE_OBJECT)
      throw RunFailed("PMIx does not know the address of process 0");
    const pmix_byte_object_t& object = value.get()->data.bo;
    const auto* bytes = reinterpret_cast<const std::byte*>(object.bytes);
    return {bytes, bytes + object.size};
  }

 private:
  class Value {
   public:
    Value(const pmix_proc_t& of, const char* name) {
      if (PMIx_Get(&of, name, nullptr, 0, &value_) != PMIX_SUCCESS) value_ = nullptr;
    }
    ~Value() {
      if (value_ != nullptr) PMIX_VALUE_RELEASE(value_);
    }
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;
    const pmix_value_t* get() const { return value_; }

   private:
    pmix_value_t* value_ = nullptr;
  };

  pmix_proc_t process(pmix_rank_t rank) const {
    pmix_proc_t one = self_;
    one.rank = rank;
    return one;
  }

  pmix_proc_t self_{};
};

Blob encode_meeting(const Membership& membership) {
  return encode(
      {{"key", membership.key.text()}, {"port", membership.port}, {"master", membership.master}});
}

void decode_meeting(Bytes bytes, Membership& membership) {
  const Message message = decode(bytes);
  membership.key = JobKey(message.at("key").get<std::string>());
  membership.port = message.at("port");
  membership.master = message.at("master").get<std::vector<std::string>>();
}

/// If all processes are on this host, nothing is visible on any network.
Socket open_port(Membership& membership, bool all_here) {
  Socket listener = all_here ? listen_on(kLoopback, 0) : listen_on("", 0);
  membership.port = port_of(listener);
  membership.master = all_here ? std::vector<std::string>{kLoopback} : interface_addresses();
  return listener;
}

void meet(const Session& session, Membership& membership) {
  Socket listener;
  if (membership.rank == 0) {
    listener = open_port(membership, session.of_job(PMIX_LOCAL_SIZE) == membership.size);
    session.publish(encode_meeting(membership));
  }
  session.exchange();
  if (membership.rank != 0) decode_meeting(session.published_by_0(), membership);
  membership.listener = listener.release();
}

}  // namespace

std::optional<Membership> pmix_membership() {
  if (std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr) return {};
  const Session session;
  Membership membership;
  membership.source = "PMIx";
  membership.rank = session.rank();
  membership.size = session.of_job(PMIX_JOB_SIZE);
  if (membership.rank >= membership.size)
    throw RunFailed("PMIx does not know how many processes this job has");
  if (membership.size > 1) meet(session, membership);
  return membership;
}

}  // namespace toroid::job
