#include "tools/run/launch.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "hal/check.hpp"
#include "router/job/key.hpp"
#include "router/job/launcher_pipe.hpp"
#include "router/job/listening_socket.hpp"
#include "router/job/process_info.hpp"
#include "tools/run/children.hpp"
#include "tools/run/host_list.hpp"
#include "tools/run/host_processes.hpp"
#include "tools/run/interruption.hpp"
#include "tools/run/local_processes.hpp"
#include "tools/run/remote_processes.hpp"
#include "tools/text/version.hpp"

namespace toroid {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
// Random ports are drawn from this range, which is below the ports that systems choose for outgoing
// connections.
constexpr std::uint64_t kFirstPort = 20000;
constexpr std::uint64_t kPorts = 12000;

/// The variable that the user passes on: NAME=VALUE, or NAME with its value here.
std::pair<std::string, std::string> variable_of(const std::string& text) {
  constexpr std::array kOwn = {"RANK",        "WORLD_SIZE",     "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                               "MASTER_ADDR", "TOROID_JOB_KEY", "MASTER_PORT"};
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty())
    throw BadInput(one_line(fmt::format("-x {}: expected NAME or NAME=VALUE", text)));
  if (std::ranges::find(kOwn, name) != kOwn.end())
    throw BadInput(fmt::format("-x {}: launch itself sets {}", name, name));
  if (equals != std::string::npos) return {name, text.substr(equals + 1)};
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr)
    throw BadInput(
        one_line(fmt::format("-x {}: the variable is not set; expected -x NAME=VALUE", name)));
  return {name, value};
}

/// What the shares of all hosts have in common.
LaunchShare common_share(const LaunchOptions& options) {
  LaunchShare share;
  share.key = JobKey::random().text();
  share.version = version_and_commit();
  share.command = options.command;
  share.is_toroid = options.is_toroid;
  for (const std::string& text : options.variables) share.variables.push_back(variable_of(text));
  return share;
}

void add_this_host(const LaunchOptions& options, Children& children) {
  if (options.processes == 0) throw BadInput("-n is required: the number of processes to start");
  job::Socket listener = job::listen_on(kLoopback, 0);
  LaunchShare share = common_share(options);
  share.host = job::this_process().host;
  share.count = share.size = options.processes;
  share.master = kLoopback;
  share.port = job::port_of(listener);
  children.add(share, std::make_unique<LocalProcesses>(share, std::move(listener)));
}

/// Allows as many open files as the system permits. A host takes one.
void allow_hosts(std::size_t hosts) {
  constexpr std::size_t kOthers = 32;  ///< standard streams, pipes of a start, libraries
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (hosts + kOthers > files.rlim_max)
    throw BadInput(fmt::format("{} hosts need {} open files, but only {} are allowed (ulimit -n)",
                               hosts, hosts + kOthers, files.rlim_max));
}

/// The hosts with as many of their slots as there are processes; those without any are left out.
std::vector<HostSlots> used_slots(std::vector<HostSlots> hosts, unsigned processes) {
  std::uint64_t slots = 0;
  for (HostSlots& host : hosts) {
    if (processes != 0)
      host.slots = static_cast<unsigned>(std::min<std::uint64_t>(host.slots, processes - slots));
    slots += host.slots;
  }
  if (slots > kMostProcesses)
    throw BadInput(fmt::format("the hosts have {} slots; without -n at most {} can be used", slots,
                               kMostProcesses));
  if (slots < processes)
    throw BadInput(
        fmt::format("the hosts have {} slots, too few for {} processes", slots, processes));
  std::erase_if(hosts, [](const HostSlots& host) { return host.slots == 0; });
  return hosts;
}

/// The agents on other hosts enter it.
std::string present_directory() {
  std::error_code error;
  std::string directory = std::filesystem::current_path(error);
  if (error)
    throw BadInput("the present directory cannot be named, perhaps because it has been removed: " +
                   error.message());
  return directory;
}

/// The key is sent by standard input, since all users can read command lines.
void add_hosts(const LaunchOptions& options, Children& children) {
  const std::vector<HostSlots> hosts = used_slots(load_hosts(options.hosts), options.processes);
  allow_hosts(hosts.size());
  LaunchShare share = common_share(options);
  share.master = options.master.empty() ? address_of(hosts.front()) : options.master;
  share.port = options.port != 0 ? options.port : kFirstPort + random_word() % kPorts;
  share.directory = present_directory();
  for (const HostSlots& host : hosts) share.size += host.slots;
  for (const HostSlots& host : hosts) {
    share.host = host.name;
    share.first += std::exchange(share.count, host.slots);
    children.add(share, std::make_unique<RemoteProcesses>(share));
  }
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
  throw_if_interrupted();  // a signal that came before Children waits for signals
  options.hosts.empty() ? add_this_host(options, children) : add_hosts(options, children);
  return children.wait();
}

}  // namespace toroid
