// toroid launch: several processes of a command as one run, on this host or on others by ssh.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "router/job/key.hpp"
#include "router/job/process_info.hpp"
#include "tools/launch/children.hpp"
#include "tools/launch/host_list.hpp"
#include "tools/launch/shell.hpp"
#include "tools/options.hpp"
#include "tools/verbs.hpp"

namespace toroid {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
// Below what systems choose for connections that go out.
constexpr std::uint64_t kFirstPort = 20000;
constexpr std::uint64_t kPorts = 12000;

struct LaunchOptions {
  unsigned processes = 0;  ///< 0: as many as the hosts have slots
  std::string hosts;       ///< a file; empty: this host
  std::string master;      ///< empty: the first host
  unsigned port = 0;       ///< 0: drawn at random
  double grace = 8;        ///< seconds
  std::vector<std::string> command;
};

/// Which process runs where.
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

/// Process 0 gets a socket that listens already, so that nobody can take its port before.
int launch_here(const LaunchOptions& options, Children& children) {
  if (options.processes == 0) throw BadInput("-n is required: how many processes to start");
  const std::string host = job::this_process().host;
  const auto seats = seats_of({{host, options.processes}}, options.processes);
  const JobKey key = JobKey::random();
  job::Socket listener = job::listen_on(kLoopback, 0);
  for (unsigned rank = 0; rank < seats.size(); ++rank) {
    Variables variables = variables_of(seats, rank, kLoopback, job::port_of(listener));
    variables.emplace_back("TOROID_JOB_KEY", key.text());
    if (rank == 0) variables.emplace_back("TOROID_LISTENER_FD", std::to_string(listener.fd()));
    children.start({.rank = rank,
                    .host = host,
                    .arguments = options.command,
                    .environment = variables,
                    .kept = rank == 0 ? listener.fd() : -1,
                    .input = {}});
  }
  listener.close();
  return children.wait();
}

std::string ssh_program() {
  const char* program = std::getenv("TOROID_SSH");
  return program == nullptr || *program == '\0' ? "ssh" : program;
}

/// The key goes by standard input: command lines are there for everybody to read.
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
                    .kept = -1,
                    .input = key.text() + "\n"});
  }
  return children.wait();
}

int run(const LaunchOptions& options) {
  Children children(std::chrono::milliseconds(std::llround(options.grace * 1e3)));
  return options.hosts.empty() ? launch_here(options, children) : launch_there(options, children);
}

}  // namespace

Verb add_launch_verb(CLI::App& app) {
  auto options = std::make_shared<LaunchOptions>();
  CLI::App* verb =
      app.add_subcommand("launch", "several processes of a command as one run: launch -n 4 -- ...");
  verb->add_option("-n", options->processes, "processes; else as many as the hosts have slots")
      ->transform(whole_number(1, 65536));
  CLI::Option* hosts =
      verb->add_option("--hosts", options->hosts, "a file of hosts, to be reached by ssh")
          ->check(not_empty());
  verb->add_option("--master", options->master, "where the others reach process 0; else its host")
      ->check(not_empty())
      ->needs(hosts);
  verb->add_option("--port", options->port, "on which process 0 listens; else one at random")
      ->transform(whole_number(1, 65535))
      ->needs(hosts);
  verb->add_option("--grace", options->grace, "seconds for the others to end when one has failed")
      ->check(number(0, 1e6))
      ->capture_default_str();
  verb->add_option("command", options->command, "to be run, after --")->required();
  return [options] { return run(*options); };
}

}  // namespace toroid
