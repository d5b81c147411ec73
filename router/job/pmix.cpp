// Membership of a job from PMIx, under mpirun or srun. Process 0 draws the key and opens its port;
// the launcher's own connections, which strangers cannot access, carry key and port to the other
// processes.
#include <pmix_common.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/job/membership.hpp"
#include "router/job/pmix_session.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr const char* kMeeting = "toroid.job";
constexpr const char* kLoopback = "127.0.0.1";

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

/// Opens a port for the other processes; only on the loopback if all processes are on this host.
Socket open_port(Membership& membership, bool all_here) {
  Socket listener = all_here ? listen_on(kLoopback, 0) : listen_on("", 0);
  membership.port = port_of(listener);
  membership.master = all_here ? std::vector<std::string>{kLoopback} : interface_addresses();
  return listener;
}

/// The key, port and addresses that process 0 has published.
Blob meeting_of(const PmixSession& session) {
  if (auto meeting = session.published_by_0(kMeeting)) return *std::move(meeting);
  throw RunFailed("PMIx does not know the address of process 0");
}

void meet(const PmixSession& session, Membership& membership) {
  Socket listener;
  if (membership.rank == 0) {
    listener = open_port(membership, session.of_job(PMIX_LOCAL_SIZE) == membership.size);
    session.publish(kMeeting, encode_meeting(membership));
  }
  session.exchange();
  if (membership.rank != 0) decode_meeting(meeting_of(session), membership);
  membership.listener = listener.release();
}

}  // namespace

std::optional<Membership> pmix_membership() {
  if (std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr) return {};
  const auto session = std::make_shared<PmixSession>();
  Membership membership;
  membership.source = "PMIx";
  membership.rank = session->rank();
  membership.size = session->of_job(PMIX_JOB_SIZE);
  if (membership.rank >= membership.size)
    throw RunFailed("PMIx does not know how many processes this job has");
  if (membership.size == 1) return membership;
  meet(*session, membership);
  if (session->sends_events()) membership.events = session;
  return membership;
}

}  // namespace toroid::job
