// Runs a command on emulated hosts of this machine, one process on each. The tests' switch joins
// the hosts, with a given bandwidth and delay. Prints the standard output of process 0 and the
// standard error of all processes.
#include <sched.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/net/file_descriptor.hpp"
#include "tests/net/host.hpp"
#include "tests/net/hosts.hpp"
#include "tests/net/process.hpp"
#include "tests/net/switch.hpp"
#include "tests/tools/run_process.hpp"

namespace toroid::testing {
namespace {

constexpr const char* kUsage =
    "usage: on_hosts HOSTS MBIT/S MICROSECONDS COMMAND [ARGUMENT]...\n"
    "HOSTS: number of emulated hosts, 1 to 8; each runs one process of the command\n"
    "MBIT/S: bandwidth of each host's link, per direction; 0: no limit\n"
    "MICROSECONDS: delay from one host to another\n";
constexpr int kBadUsage = 2;
constexpr int kFailed = 1;
/// Exit code if the machine does not permit emulated hosts; the command has not failed then.
constexpr int kNotPermitted = 77;
constexpr auto kForever = std::chrono::hours(24);

Environment environment(const Hosts& hosts, unsigned rank) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(hosts.size())},
          {"MASTER_ADDR", hosts[0].address()},
          {"MASTER_PORT", "29500"},
          {"TOROID_JOB_KEY", "hosts-that-nobody-else-reaches"}};
}

/// Binds the calling thread, and the processes that it starts, to the cores of host `rank`: each
/// host gets its own cores, since programs that do not know of the other hosts would all bind to
/// the same ones. With fewer cores than hosts, every host gets all cores.
void take_cores(const cpu_set_t& all, unsigned rank, unsigned hosts) {
  const auto cores = static_cast<unsigned>(CPU_COUNT(&all));
  cpu_set_t own;
  CPU_ZERO(&own);
  unsigned number = 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all) && number++ * hosts / cores == rank) CPU_SET(cpu, &own);
  ::sched_setaffinity(0, sizeof own, cores < hosts ? &all : &own);
}

/// Returns the exit code of the first process that failed, or 0.
int run(const Hosts& hosts, const Arguments& command) {
  cpu_set_t all;
  CPU_ZERO(&all);
  succeeded(::sched_getaffinity(0, sizeof all, &all), "sched_getaffinity");
  std::vector<std::unique_ptr<Process>> processes;
  for (unsigned rank = 0; rank < hosts.size(); ++rank) {
    take_cores(all, rank, hosts.size());
    processes.push_back(
        std::make_unique<Process>(hosts[rank].start(command, environment(hosts, rank))));
  }
  int code = 0;
  for (const auto& process : processes) {
    const Ended ended = process->wait(kForever).value();
    if (process == processes.front()) std::cout << ended.out << std::flush;
    std::cerr << ended.err;
    if (code == 0) code = ended.exit_code < 0 ? 128 + ended.signal : ended.exit_code;
  }
  return code;
}

int run(unsigned count, const LinkSettings& link, const Arguments& command) {
  Hosts hosts(count, Wiring::our_fast_switch);
  hosts.our_switch().set_all_links(link);
  const auto begin = std::chrono::steady_clock::now();
  const int code = run(hosts, command);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::chrono::duration<double> busy = hosts.our_switch().busy();
  std::cerr << "on_hosts: the switch passed on " << hosts.our_switch().counts().delivered
            << " frames and took " << busy.count() << " of " << took.count() << " s\n";
  return code;
}

struct Network {
  unsigned hosts;
  LinkSettings link;
};

/// Returns none if the arguments are invalid.
std::optional<Network> network_of(const Arguments& arguments) {
  constexpr long kMostHosts = 8;
  if (arguments.size() < 4) return std::nullopt;
  try {
    const long hosts = std::stol(arguments[0]);
    const double megabits = std::stod(arguments[1]);
    const long microseconds = std::stol(arguments[2]);
    if (hosts < 1 || hosts > kMostHosts || !(megabits >= 0) || microseconds < 0)
      return std::nullopt;
    const std::chrono::microseconds delay(microseconds / 2);  // per link; a path has two
    return Network{static_cast<unsigned>(hosts), {.delay = delay, .bandwidth = megabits * 1e6}};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace
}  // namespace toroid::testing

int main(int argc, char** argv) {
  using namespace toroid::testing;
  const Arguments arguments(argv + 1, argv + argc);
  const auto network = network_of(arguments);
  if (!network) return std::cerr << kUsage, kBadUsage;
  try {
    return run(network->hosts, network->link, {arguments.begin() + 3, arguments.end()});
  } catch (const NotPermitted& reason) {
    return std::cerr << "on_hosts: " << reason.what() << '\n', kNotPermitted;
  } catch (const std::exception& error) {
    return std::cerr << "on_hosts: " << error.what() << '\n', kFailed;
  }
}
