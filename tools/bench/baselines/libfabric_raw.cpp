// fi_send and fi_recv between two processes of this machine: a lower bound on libfabric's time.
//   libfabric_raw PROVIDER latency BYTES         ping-pong, seconds of one way
//   libfabric_raw PROVIDER inject BYTES          the same with fi_inject
//   libfabric_raw PROVIDER stream BYTES [WINDOW = 16]  one direction, seconds per message
//   libfabric_raw PROVIDER both BYTES [WINDOW = 16]    both directions at once, sum of both
//   libfabric_raw PROVIDER poll PEERS            an idle fi_cq_read with PEERS connections, seconds
//   libfabric_raw PROVIDER startup BYTES         seconds to find the provider, to open an endpoint,
//                                                and for the first round trip
// PROVIDER: tcp;ofi_rxm, net, shm, udp;ofi_rxd, sockets.
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/baselines/libfabric_endpoint.hpp"
#include "tools/bench/baselines/report.hpp"
#include "tools/bench/baselines/thread_pinning.hpp"

namespace {

using baseline::Endpoint;

constexpr int kBatches = 30;
constexpr std::uint64_t kRoundTrips = 1000;  // per batch
constexpr std::uint64_t kPolls = 20000;      // per batch
constexpr std::size_t kPollBytes = 64;
constexpr unsigned kPatience = 120;  // seconds after which a message counts as lost

struct Task {
  std::string provider, mode;
  std::size_t bytes, window;
  unsigned peers = 1;

  // Messages per batch of a stream: about 64 MiB, which take some 20 ms.
  std::uint64_t messages() const {
    return std::clamp<std::uint64_t>((std::uint64_t{1} << 26) / bytes, 4 * window, 4000);
  }
};

// The other process: its fi_addr_t, and a socket through which both processes exchange their
// addresses and tell each other when they have ended.
struct Peer {
  int socket;
  fi_addr_t address = FI_ADDR_UNSPEC;

  void send(const std::vector<char>& text) const {
    if (::send(socket, text.data(), text.size(), 0) < 0) baseline::fail("send", -errno);
  }
  std::vector<char> receive() const {
    std::vector<char> text(256);
    const ssize_t size = ::recv(socket, text.data(), text.size(), 0);
    if (size <= 0) baseline::fail("the other process", -FI_ENOTCONN);
    text.resize(static_cast<std::size_t>(size));
    return text;
  }
  bool try_receive() const {
    char byte;
    return ::recv(socket, &byte, 1, MSG_DONTWAIT) > 0;
  }
};

void ask(Endpoint& mine, const Peer& peer, std::size_t bytes) {
  mine.exchange(peer.address, 1, 1, bytes);
}

void answer(Endpoint& mine, const Peer& peer, std::size_t bytes) {
  mine.exchange(peer.address, 0, 1, bytes);
  mine.exchange(peer.address, 1, 0, bytes);
}

void inject_ask(Endpoint& mine, const Peer& peer, std::size_t bytes) {
  mine.inject(peer.address, bytes);
  mine.exchange(peer.address, 0, 1, bytes);
}

void inject_answer(Endpoint& mine, const Peer& peer, std::size_t bytes) {
  mine.exchange(peer.address, 0, 1, bytes);
  mine.inject(peer.address, bytes);
}

// One batch of the measuring side; returns its number of operations.
std::uint64_t first_side(const Task& task, Endpoint& mine, const Peer& peer) {
  const std::uint64_t messages = task.messages();
  if (task.mode == "stream") {
    mine.exchange(peer.address, messages, 1, task.bytes);
    return messages;
  }
  if (task.mode == "both") {
    mine.exchange(peer.address, messages, messages, task.bytes);
    return 2 * messages;
  }
  const auto round_trip = task.mode == "inject" ? inject_ask : ask;
  for (std::uint64_t i = 0; i < kRoundTrips; ++i) round_trip(mine, peer, task.bytes);
  return 2 * kRoundTrips;
}

void second_side(const Task& task, Endpoint& mine, const Peer& peer) {
  const std::uint64_t messages = task.messages();
  if (task.mode == "stream") {
    mine.exchange(peer.address, 0, messages, task.bytes);
    return mine.exchange(peer.address, 1, 0, 1);
  }
  if (task.mode == "both") return mine.exchange(peer.address, messages, messages, task.bytes);
  const auto turn = task.mode == "inject" ? inject_answer : answer;
  for (std::uint64_t i = 0; i < kRoundTrips; ++i) turn(mine, peer, task.bytes);
}

bool measures_messages(const Task& task) {
  return task.mode != "poll" && task.mode != "startup";
}

// Each side drives its provider until the other side is done too, because a provider may have work
// left after its last completion, for example an acknowledgement.
void part(Endpoint& mine, const Peer& peer) {
  mine.finish_sends();
  peer.send({'.'});
  while (!peer.try_receive()) mine.progress();
}

void run_second(const Task& task, Peer peer) {
  Endpoint mine(task.provider, task.bytes, task.window);
  peer.send(mine.name());
  peer.address = mine.insert(peer.receive());
  answer(mine, peer, 1);
  if (measures_messages(task))
    for (int i = 0; i <= kBatches; ++i) second_side(task, mine, peer);
  if (task.mode == "poll") peer.receive();  // sleeps, so that it leaves the core to the poller
  part(mine, peer);
}

Peer start_second(const Task& task, int core) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0) baseline::fail("socketpair", -errno);
  const pid_t child = fork();
  if (child < 0) baseline::fail("fork", -errno);
  if (child > 0) {
    close(sockets[1]);
    return {sockets[0]};
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(sockets[0]);
  alarm(kPatience);
  baseline::pin(core);
  run_second(task, {sockets[1]});
  std::_Exit(0);
}

std::string figures(const Task& task, const Endpoint& mine, double seconds) {
  std::string keys = "\"provider\":\"" + task.provider + "\",\"what\":\"" + task.mode +
                     "\",\"bytes\":" + std::to_string(task.bytes) +
                     ",\"inject_limit\":" + std::to_string(mine.inject_limit());
  if (task.mode != "stream" && task.mode != "both") return keys;
  keys += ",\"window\":" + std::to_string(mine.window());
  keys += ",\"messages_per_s\":" + std::to_string(1 / seconds);
  return keys + ",\"bytes_per_s\":" + std::to_string(static_cast<double>(task.bytes) / seconds);
}

void measure_messages(const Task& task, Endpoint& mine, const Peer& peer,
                      baseline::Report& report) {
  std::vector<double> seconds;
  first_side(task, mine, peer);
  for (int i = 0; i < kBatches; ++i) {
    const double start = baseline::now();
    const std::uint64_t operations = first_side(task, mine, peer);
    seconds.push_back((baseline::now() - start) / static_cast<double>(operations));
  }
  report.row(figures(task, mine, baseline::median(seconds)), seconds);
}

void measure_polls(const Task& task, Endpoint& mine, const std::vector<Peer>& peers,
                   baseline::Report& report) {
  std::vector<double> seconds;
  for (int i = 0; i < kBatches; ++i) {
    const double start = baseline::now();
    for (std::uint64_t poll = 0; poll < kPolls; ++poll) mine.progress();
    seconds.push_back((baseline::now() - start) / kPolls);
  }
  report.row("\"what\":\"poll\",\"peers\":" + std::to_string(task.peers), seconds);
  for (const Peer& peer : peers) peer.send({'.'});
}

void run_first(const Task& task, std::vector<Peer> peers, baseline::Report& report) {
  const double start = baseline::now();
  baseline::Info info = baseline::find_provider(task.provider);
  const double found = baseline::now();
  Endpoint mine(std::move(info), task.bytes, task.window);
  const double opened = baseline::now();
  for (Peer& peer : peers) {
    peer.send(mine.name());
    peer.address = mine.insert(peer.receive());
  }
  const double met = baseline::now();
  for (const Peer& peer : peers) ask(mine, peer, 1);
  const double answered = baseline::now();
  if (measures_messages(task)) measure_messages(task, mine, peers[0], report);
  if (task.mode == "poll") measure_polls(task, mine, peers, report);
  for (const Peer& peer : peers) part(mine, peer);
  if (task.mode != "startup") return;
  report.row("\"what\":\"find\"", {found - start});
  report.row("\"what\":\"open\"", {opened - found});
  report.row("\"what\":\"connect\"", {answered - met});
}

// Ends this process if another one failed. Prints nothing: the other has printed the reason.
void end_with_the_other(int) {
  int status = 0;
  while (waitpid(-1, &status, WNOHANG) > 0)
    if (status != 0) std::_Exit(1);
}

Task parse(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[2] : "";
  const std::string modes = " latency inject stream both poll startup ";
  if (argc < 4 || modes.find(" " + mode + " ") == std::string::npos) {
    std::fprintf(stderr,
                 "libfabric_raw PROVIDER latency|inject|stream|both|startup BYTES [WINDOW]\n"
                 "libfabric_raw PROVIDER poll PEERS\n");
    std::exit(2);
  }
  const int number = baseline::positive(argv[3]);
  const int window = argc > 4 ? baseline::positive(argv[4]) : 16;
  Task task{argv[1], mode, static_cast<std::size_t>(number), static_cast<std::size_t>(window)};
  if (mode != "poll") return task;
  task.bytes = kPollBytes;
  task.peers = static_cast<unsigned>(number);
  return task;
}

}  // namespace

int main(int argc, char** argv) {
  const Task task = parse(argc, argv);
  const std::vector<int> cores = baseline::two_cores();
  std::signal(SIGCHLD, end_with_the_other);
  std::vector<Peer> peers;
  for (unsigned i = 0; i < task.peers; ++i) peers.push_back(start_second(task, cores[1]));
  alarm(kPatience);
  baseline::pin(cores[0]);
  baseline::Report report("libfabric_raw");
  run_first(task, peers, report);
  report.print();
  while (wait(nullptr) > 0) {
  }
}
