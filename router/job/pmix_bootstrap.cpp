// Bootstrap of a job from PMIx, under mpirun or srun. Process 0 draws the key and opens its port;
// the launcher's own connections, which strangers cannot access, carry key and port to the other
// processes.
#include <pmix_common.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/key.hpp"
#include "router/job/launcher_watch.hpp"
#include "router/job/listening_socket.hpp"
#include "router/job/pmix_session.hpp"
#include "router/job/wire.hpp"

namespace toroid::job {
namespace {

constexpr const char* kMeeting = "toroid.job";
constexpr const char* kLoopback = "127.0.0.1";

Blob encode_meeting(const Bootstrap& bootstrap) {
  return encode(
      {{"key", bootstrap.key.text()}, {"port", bootstrap.port}, {"master", bootstrap.master}});
}

void decode_meeting(Bytes bytes, Bootstrap& bootstrap) {
  const Message message = decode(bytes);
  bootstrap.key = JobKey(message.at("key").get<std::string>());
  bootstrap.port = message.at("port");
  bootstrap.master = message.at("master").get<std::vector<std::string>>();
}

/// Opens a port for the other processes; only on the loopback if all processes are on this host.
Socket open_port(Bootstrap& bootstrap, bool all_here) {
  Socket listener = all_here ? listen_on(kLoopback, 0) : listen_on("", 0);
  bootstrap.port = port_of(listener);
  bootstrap.master = all_here ? std::vector<std::string>{kLoopback} : interface_addresses();
  return listener;
}

/// The key, port and addresses that process 0 has published.
Blob meeting_of(const PmixSession& session) {
  if (auto meeting = session.published_by_0(kMeeting)) return *std::move(meeting);
  throw RunFailed("PMIx does not know the address of process 0");
}

void meet(const PmixSession& session, Bootstrap& bootstrap) {
  Socket listener;
  if (bootstrap.rank == 0) {
    listener = open_port(bootstrap, session.of_job(PMIX_LOCAL_SIZE) == bootstrap.size);
    session.publish(kMeeting, encode_meeting(bootstrap));
  }
  session.exchange(std::chrono::duration_cast<std::chrono::seconds>(JobOptions().patience));
  if (bootstrap.rank != 0) decode_meeting(meeting_of(session), bootstrap);
  bootstrap.listener = listener.release();
}

}  // namespace

std::optional<Bootstrap> pmix_bootstrap() {
  if (std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr) return {};
  const auto session = std::make_shared<PmixSession>();
  Bootstrap bootstrap;
  bootstrap.source = "PMIx";
  bootstrap.rank = session->rank();
  bootstrap.size = session->of_job(PMIX_JOB_SIZE);
  if (bootstrap.rank >= bootstrap.size)
    throw RunFailed("PMIx does not know how many processes this job has");
  if (bootstrap.size == 1) return bootstrap;
  bootstrap.launcher_has_gone = watch_launcher();
  meet(*session, bootstrap);
  if (session->sends_events()) bootstrap.events = session;
  return bootstrap;
}

}  // namespace toroid::job
