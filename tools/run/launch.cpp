#include "tools/run/launch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "hal/check.hpp"
#include "router/job/key.hpp"
#include "router/job/launcher_pipe.hpp"
#include "router/job/listening_socket.hpp"
#include "router/job/process_info.hpp"
#include "tools/run/child.hpp"
#include "tools/run/children.hpp"
#include "tools/run/host_list.hpp"
#include "tools/text/split_and_wrap.hpp"

namespace toroid {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
/// Environment variable of processes that must call tell_launcher_of_end().
constexpr const char* kChecksEnd = "TOROID_LAUNCHER_CHECKS_END";
// Random ports are drawn from this range, which is below the ports that systems choose for outgoing
// connections.
constexpr std::uint64_t kFirstPort = 20000;
constexpr std::uint64_t kPorts = 12000;

/// A process's host and its rank on that host.
struct Seat {
  std::string host;
  unsigned local_rank = 0;
  unsigned local_size = 0;
};

std::vector<Seat> seats_of(const std::vector<HostSlots>& hosts, unsigned processes) {
  std::vector<Seat> seats;
  for (const HostSlots& host : hosts) {
    const auto left = static_cast<unsigned>(processes - seats.size());
    const unsigned here = processes == 0 ? host.slots : std::min(host.slots, left);
    for (unsigned local = 0; local < here; ++local) seats.push_back({host.name, local, here});
  }
  if (seats.size() < processes)
    throw BadInput(
        fmt::format("the hosts have {} slots, too few for {} processes", seats.size(), processes));
  return seats;
}

Variables variables_of(const std::vector<Seat>& seats, unsigned rank, const std::string& master,
                       std::uint64_t port) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(seats.size())},
          {"LOCAL_RANK", std::to_string(seats[rank].local_rank)},
          {"LOCAL_WORLD_SIZE", std::to_string(seats[rank].local_size)},
          {"MASTER_ADDR", master},
          {"MASTER_PORT", std::to_string(port)}};
}

/// Starts processes on this host. Process 0 inherits a listening socket, so that no other program
/// can take its port.
int launch_here(const LaunchOptions& options, Children& children) {
  if (options.processes == 0) throw BadInput("-n is required: the number of processes to start");
  const std::string host = job::this_process().host;
  const auto seats = seats_of({{host, options.processes}}, options.processes);
  const JobKey key = JobKey::random();
  job::Socket listener = job::listen_on(kLoopback, 0);
  for (unsigned rank = 0; rank < seats.size(); ++rank) {
    Variables variables = variables_of(seats, rank, kLoopback, job::port_of(listener));
    variables.emplace_back("TOROID_JOB_KEY", key.text());
    if (options.is_toroid) variables.emplace_back(kChecksEnd, "1");
    if (rank == 0) variables.emplace_back("TOROID_LISTENER_FD", std::to_string(listener.fd()));
    children.start({.rank = rank,
                    .host = host,
                    .arguments = options.command,
                    .environment = variables,
                    .tells_of_end = options.is_toroid,
                    .kept = rank == 0 ? std::vector{listener.fd()} : std::vector<int>(),
                    .input = {}});
  }
  listener.close();
  return children.wait();
}

std::string ssh_program() {
  const char* program = std::getenv("TOROID_SSH");
  return program == nullptr || *program == '\0' ? "ssh" : program;
}

/// The script for a shell on another host. It reads the key from standard input and runs the
/// command until the command or the standard input ends; standard input ends when the launcher has
/// gone or wants to end the run. It uses sh, whatever the user's shell is. A watcher in the
/// background waits for the end of standard input and then ends the command. The output of the
/// watcher goes to /dev/null, so that ssh ends when the command ends.
std::string remote_script(const std::string& directory, const Variables& variables,
                          const std::vector<std::string>& command) {
  std::string script = "IFS= read -r TOROID_JOB_KEY && export TOROID_JOB_KEY && cd " +
                       shell_word(directory) + " || exit 1\n";
  for (const auto& [name, value] : variables)
    script += fmt::format("export {}={}\n", name, shell_word(value));
  script += "exec 3<&0\n";
  for (const std::string& word : command) script += shell_word(word) + " ";
  script +=
      "</dev/null 3<&- &\n"
      "p=$!\n"
      "(cat <&3; kill -TERM $p; sleep 1; kill -KILL $p) >/dev/null 2>&1 &\n"
      "w=$!\n"
      "exec 3<&-\n"
      "{ wait $p; } 2>/dev/null\n"
      "s=$?\n"
      "kill $w 2>/dev/null\n"
      "exit $s\n";
  return "exec sh -c " + shell_word(script);
}

/// Starts processes on other hosts. The key is sent by standard input, since all users can read
/// command lines.
int launch_there(const LaunchOptions& options, Children& children) {
  const std::vector<HostSlots> hosts = load_hosts(options.hosts);
  const auto seats = seats_of(hosts, options.processes);
  const std::string master = options.master.empty() ? address_of(hosts.front()) : options.master;
  const std::uint64_t port = options.port != 0 ? options.port : kFirstPort + random_word() % kPorts;
  const std::string directory = std::filesystem::current_path();
  const JobKey key = JobKey::random();
  for (unsigned rank = 0; rank < seats.size(); ++rank) {
    const std::string script =
        remote_script(directory, variables_of(seats, rank, master, port), options.command);
    children.start({.rank = rank,
                    .host = seats[rank].host,
                    .arguments = {ssh_program(), "-o", "BatchMode=yes", seats[rank].host, script},
                    .environment = {},
                    .tells_of_end = false,
                    .kept = {},
                    .input = key.text() + "\n"});
  }
  return children.wait();
}

}  // namespace

bool is_checked_by_launcher() {
  return std::getenv(kChecksEnd) != nullptr;
}

void tell_launcher_of_end() {
  if (const char* const rank = std::getenv("RANK"))
    job::tell_launcher(static_cast<std::uint32_t>(std::atoi(rank)) | job::kEndsInOrder);
}

int launch(const LaunchOptions& options) {
  Children children(std::chrono::milliseconds(std::llround(options.grace * 1e3)), options.goes_on);
  return options.hosts.empty() ? launch_here(options, children) : launch_there(options, children);
}

}  // namespace toroid
