// Tests of a fabric of several processes: load, failures, programs that wait for ever, and the
// addresses on which the fabric listens.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rdma/fabric.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "hal/check.hpp"
#include "hal/device.hpp"
#include "hal/machine.hpp"
#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/job/job.hpp"
#include "router/ofi/endpoint.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/host_share.hpp"
#include "router/ofi/libfabric.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/ofi/provider_choice.hpp"
#include "router/ofi/providers.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/process_partition.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/failing_programs.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/reluctant_device.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/smallest_buffers.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using testing::EmulatedMachine;
using testing::exchange_tagged;
using ::testing::HasSubstr;
using testing::kHandler;
using testing::OfiCase;
using testing::outcomes_on_ofi;
using testing::run_on_ofi;

using std::chrono::milliseconds;

using OfiStress = testing::OnEveryProvider;
using OfiFailure = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, OfiStress, testing::kProviders, testing::provider_name);
INSTANTIATE_TEST_SUITE_P(Over, OfiFailure, testing::kProviders, testing::provider_name);

TEST_P(OfiStress, CompletesInTheSmallestBuffersOnReluctantDevices) {
  constexpr std::array kProcesses = {2u, 3u, 5u};
  for (const auto& row : testing::combinations_over(GetParam(), {2, kProcesses.size(), 2})) {
    const char* const text = row[0] == 0 ? "5x2m" : "2x2x2x2";
    const unsigned processes = kProcesses[row[1]];
    OfiCase c{.route = testing::kRoutes[row[2]], .processes = processes};
    c.workers = 1 + processes % 2;
    c.provider = GetParam();
    c.machine = testing::smallest_buffers();
    const auto reluctant = [&](Device& device) {
      return std::make_unique<testing::ReluctantDevice>(device, 4, processes);
    };
    SCOPED_TRACE(text + (' ' + c.text()));
    run_on_ofi(
        Shape::parse(text), c, [](Job&, EmulatedMachine& machine) { exchange_tagged(machine, 12); },
        reluctant);
  }
}

TEST_P(OfiStress, CompletesWithManyPacketsBetweenProcesses) {
  const std::uint32_t packets = testing::is_thorough() ? 2'000 : 500;
  for (const auto& row : testing::combinations_over(GetParam(), {2, 2})) {
    OfiCase c{.route = testing::kRoutes[row[0]], .routing = RoutingRule::deterministic};
    c.workers = row[1] == 0 ? 1 : 2;
    c.provider = GetParam();
    c.machine = testing::smallest_buffers();
    run_on_ofi(Shape::parse("4"), c,
               [&](Job&, EmulatedMachine& machine) { exchange_tagged(machine, packets); });
  }
}

TEST_P(OfiStress, RunsSeveralFabricsOneAfterTheOtherOnOneJob) {
  const auto outcomes = testing::run_job_over(GetParam(), 3, [&](Job& job) {
    for (const RingRoute route : {RingRoute::direct, RingRoute::torus, RingRoute::direct}) {
      const OfiCase c{.route = route, .processes = 3, .provider = GetParam()};
      EmulatedMachine machine(ofi_fabric(job, Shape::parse("3x2"), c), c.node());
      exchange_tagged(machine, 20);
    }
  });
  EXPECT_THAT(outcomes, Each(""));
}

/// The file of this process's latest shared-memory endpoint, and the file name that the next
/// endpoint will have: libfabric 1.17 counts endpoints in the last number of the name.
struct MemoryFiles {
  std::string last;
  std::string next;
};

/// REQUIRES: there is exactly one endpoint.
MemoryFiles memory_files() {
  const std::string own = fmt::format("/dev/shm/{}:{}:", ::getpid(), ::getuid());
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string path = entry.path(); path.starts_with(own))
      return {path, own + std::to_string(std::stoul(path.substr(own.size())) + 1)};
  ADD_FAILURE() << "an endpoint of shared memory has no file " << own << "...";
  return {};
}

/// Calls use(files) while exactly one endpoint exists.
void with_memory_files(const auto& use) {
  const ofi::Candidate candidate = ofi::Providers("").get("shm");
  ofi::FrameBuffers buffers(1, {});
  const ofi::Endpoint endpoint(candidate, buffers);
  use(memory_files());
}

TEST(OfiEndpoint, OpensDespiteMemoryLeftByDeadProcessWithSameId) {
  if (!testing::missing("shm").empty()) GTEST_SKIP() << testing::missing("shm");
  const auto outcomes = testing::run_job_of_children(1, [](Job&) {
    with_memory_files([](const MemoryFiles& files) {
      std::filesystem::copy_file(files.last, files.next);  // as if left by a process with our id
    });
    const ofi::Candidate candidate = ofi::Providers("").get("shm");
    ofi::FrameBuffers buffers(1, {});
    EXPECT_NO_THROW(ofi::Endpoint(candidate, buffers));
  });
  EXPECT_THAT(outcomes, Each(""));
}

/// All processes must report the node that throws, and its process.
void expect_failure(const char* provider, const std::function<Program(Node&, Rank)>& program,
                    const std::string& what) {
  const Shape shape = Shape::parse("2x3");
  for (const auto& row : testing::combinations_over(provider, {2, 2, 2})) {
    OfiCase c{.route = testing::kRoutes[row[0]], .processes = 3, .provider = provider};
    c.workers = row[1] == 0 ? 1 : 2;
    const Rank who = row[2] == 0 ? 0 : 5;
    const auto outcomes = outcomes_on_ofi(shape, c, [&](Job&, EmulatedMachine& machine) {
      machine.run([&](Node& n) { return program(n, who); });
    });
    const unsigned owner = Partition(shape, 3).owner(who);
    EXPECT_THAT(outcomes, Each(AllOf(HasSubstr(fmt::format("process {} (host", owner)),
                                     HasSubstr("node " + shape.coord_text(who) + ": " + what))))
        << c.text();
  }
}

TEST_P(OfiFailure, ProgramExceptionEndsAllAndNamesNode) {
  expect_failure(GetParam(), testing::fail_in_the_program, "in a program");
}

TEST_P(OfiFailure, HandlerExceptionEndsAllAndNamesNode) {
  expect_failure(GetParam(), testing::fail_in_a_handler, "in a handler");
}

TEST_P(OfiFailure, WatchExceptionEndsAllAndPropagatesUnchanged) {
  const Shape shape = Shape::parse("2x2");
  const auto outcomes = testing::run_job_over(GetParam(), 2, [&](Job& job) {
    OfiCase c{.provider = GetParam()};
    if (job.rank() == 1)
      c.watch = [](std::uint64_t) { throw std::runtime_error("the user has had enough"); };
    EmulatedMachine machine(ofi_fabric(job, shape, c));
    machine.run([](Node& node) { return testing::fail_in_the_program(node, 99); });
  });
  EXPECT_THAT(outcomes[0], AllOf(HasSubstr("process 1 (host"), HasSubstr("had enough")));
  EXPECT_EQ(outcomes[1], "the user has had enough");
}

TEST_P(OfiFailure, WatchExceptionOfAnyTypeEndsAll) {
  struct Stop {};
  const Shape shape = Shape::parse("2");
  const auto outcomes = testing::run_job_over(GetParam(), 2, [&](Job& job) {
    OfiCase c{.provider = GetParam()};
    if (job.rank() == 1) c.watch = [](std::uint64_t) { throw Stop(); };
    EmulatedMachine machine(ofi_fabric(job, shape, c));
    const auto run = [&] {
      machine.run([](Node& node) { return testing::fail_in_the_program(node, 99); });
    };
    if (job.rank() == 0) run();
    EXPECT_THROW(run(), Stop);
  });
  EXPECT_THAT(outcomes[0], HasSubstr("process 1 (host"));
  EXPECT_EQ(outcomes[1], "");
}

Program wait_for_three(Node& node, Rank who) {
  Counter heard("heard");
  node.on(kHandler, [&](const Packet&) { heard.bump(); });
  for (unsigned round = 0; round < 5; ++round) co_await node.barrier();
  if (node.rank() != who) co_return;
  co_await node.until(heard, 3);
}

TEST_P(OfiFailure, EndlessWaitIsReportedWithoutWaitingForStallLimit) {
  const Shape shape = Shape::parse("2x3");
  for (const auto& row : testing::combinations_over(GetParam(), {2, 3})) {
    const auto processes = static_cast<unsigned>(1 + row[1]);
    OfiCase c{.route = testing::kRoutes[row[0]], .processes = processes, .workers = 2};
    c.provider = GetParam();
    c.stall = std::chrono::hours(24);
    const auto outcomes = outcomes_on_ofi(shape, c, [&](Job&, EmulatedMachine& machine) {
      machine.run([](Node& n) { return wait_for_three(n, 4); });
    });
    const unsigned owner = Partition(shape, processes).owner(4);
    EXPECT_THAT(outcomes, Each(AllOf(HasSubstr(fmt::format("process {} (host", owner)),
                                     HasSubstr("the run stalled for ever: 1 of "),
                                     HasSubstr("node (1,1) waits for heard at 0 of 3"))))
        << c.text();
    EXPECT_THAT(outcomes, Each(outcomes.front()));
  }
}

/// Node 0 computes for `time` without a packet; the others wait for it.
Program go_on_for(Node& node, milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (node.rank() == 0 && std::chrono::steady_clock::now() < end) co_await node.compute(1);
  co_await node.barrier();
}

/// Node `who` receives two packets, and computes for `time` in the handler of each.
Program hear_of_one_that_computes(Node& node, Rank who, milliseconds time) {
  Counter heard("heard");
  node.on(kHandler, [&heard, time](const Packet&) {
    std::this_thread::sleep_for(time);
    heard.bump();
  });
  const Rank from = node.size() - 1 - who;
  if (node.rank() == from) co_await node.send(who, kHandler, 1);
  if (node.rank() == from) co_await node.send(who, kHandler, 2);
  const std::uint64_t expected = node.rank() == who ? 2 : 0;
  co_await node.until(heard, expected);
  co_await node.barrier();
}

/// Does several runs at the same time, because they mostly wait.
TEST(OfiFabric, ToleratesLongComputationsAndBusyProcesses) {
  const Shape shape = Shape::parse("2");
  OfiCase c{.suspect_after = milliseconds(600)};
  c.job.persistence = milliseconds(200);
  const auto run = [&](const std::function<Program(Node&)>& program) {
    run_on_ofi(shape, c, [&](Job&, EmulatedMachine& machine) { machine.run(program); });
  };
  std::vector<std::jthread> runs;
  runs.emplace_back([&] { run([](Node& node) { return go_on_for(node, milliseconds(1500)); }); });
  for (const Rank who : {0u, 1u})
    runs.emplace_back([&run, who] {
      run([who](Node& node) { return hear_of_one_that_computes(node, who, milliseconds(700)); });
    });
}

/// One of the processes is on a host with paced TCP.
TEST(OfiProviders, CommonPreferenceIsOneThatSuitsEveryHost) {
  const auto body = [](Job& job) {
    const bool is_paced = job.rank() == 1;
    const ofi::Preference mine{true, !is_paced, is_paced ? 61440u : 262144u};
    const ofi::Preference all = ofi::preference_of_all(job, mine);
    TOROID_CHECK(all.writes);
    TOROID_CHECK(!all.reads);
    TOROID_CHECK_EQ(all.frame_bytes, 61440u);
  };
  EXPECT_EQ(testing::run_job(3, body), std::vector<std::string>(3));
}

TEST(OfiFabric, RefusesUnknownProvider) {
  OfiCase c{.processes = 2, .provider = "smoke signals"};
  const auto outcomes = outcomes_on_ofi(Shape::parse("2"), c, [](Job&, EmulatedMachine&) {});
  EXPECT_THAT(outcomes, Each(HasSubstr("provider smoke signals cannot be used by process 0")));
}

TEST(OfiFabric, RefusesUnsafeProviderUnlessAllowed) {
  for (const std::string provider : {"udp;ofi_rxd", "sockets"}) {
    const auto names = ofi::provider_names();
    EXPECT_THAT(names, ::testing::Contains(provider));
    OfiCase c{.processes = 2, .provider = provider};
    const auto outcomes = outcomes_on_ofi(Shape::parse("2"), c, [](Job&, EmulatedMachine&) {});
    EXPECT_THAT(outcomes, Each(HasSubstr("provider " + provider + " is unsafe: ")));
    if (!testing::missing(provider).empty()) continue;
    c.unsafe_provider = true;
    run_on_ofi(Shape::parse("2"), c,
               [](Job&, EmulatedMachine& machine) { exchange_tagged(machine, 5); });
  }
}

TEST(OfiFabric, ChoosesProviderByDefault) {
  for (const unsigned processes : {1u, 3u}) {
    OfiCase c{.processes = processes, .provider = ""};
    run_on_ofi(Shape::parse("3"), c,
               [](Job&, EmulatedMachine& machine) { exchange_tagged(machine, 5); });
  }
}

/// From now on this process cannot make a segment in /dev/shm.
void allow_only_short_files() {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit short_files{1 << 20, 1 << 20};
  TOROID_CHECK_EQ(::setrlimit(RLIMIT_FSIZE, &short_files), 0);
}

TEST(OfiFabric, TellsAllWhyOneProcessCannotOpenItsEndpoint) {
  if (!testing::missing("shm").empty()) GTEST_SKIP() << testing::missing("shm");
  const auto outcomes = testing::run_job_of_children(3, [](Job& job) {
    if (job.rank() == 1) allow_only_short_files();
    testing::ofi_fabric(job, Shape::parse("3"), {.provider = "shm"});
  });
  EXPECT_THAT(outcomes,
              Each(AllOf(HasSubstr("provider shm cannot be used by process 1 (host"),
                         HasSubstr("libfabric cannot enable the endpoint: File too large"))));
}

TEST(OfiFabric, TakesNextProviderIfOneProcessCannotOpenItsEndpoint) {
  if (!testing::missing("shm").empty()) GTEST_SKIP() << testing::missing("shm");
  const auto outcomes = testing::run_job_of_children(3, [](Job& job) {
    if (job.rank() == 1) allow_only_short_files();
    std::vector<std::string> notices;
    OfiOptions options;
    options.ring.notice = [&](const std::string& line) { notices.push_back(line); };
    OfiTransport transport;
    const auto fabric = make_ofi_fabric(job, Shape::parse("3"), Machine{}, options, &transport);
    EXPECT_EQ(transport.provider, "tcp;ofi_rxm");
    ASSERT_EQ(notices.size(), job.rank() == 0 ? 1u : 0u);
    if (job.rank() != 0) return;
    EXPECT_THAT(notices[0], AllOf(HasSubstr("provider shm cannot be used by process 1"),
                                  HasSubstr("the run uses tcp;ofi_rxm")));
  });
  EXPECT_THAT(outcomes, Each(""));
}

TEST(OfiFabric, RefusesDifferentVersionsOfLibfabric) {
  const auto outcomes = testing::run_job_of_children(3, [](Job& job) {
    static ofi::Library other = ofi::library();
    other.version = [] { return FI_VERSION(9u, 9u); };
    if (job.rank() == 2) ofi::replace_library(&other);
    testing::ofi_fabric(job, Shape::parse("3"), {});
  });
  EXPECT_THAT(outcomes, Each(AllOf(HasSubstr("process 2 (host"), HasSubstr("has libfabric 9.9"),
                                   HasSubstr("but process 0 (host"))));
}

bool has_shared_file(long process) {
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string name = entry.path().filename();
        name.starts_with("toroid-") && name.find(fmt::format("-{}-", process)) != std::string::npos)
      return true;
  return false;
}

TEST(OfiFabric, SharedMemoryHasNoNameOnceAllHaveOpenedIt) {
  if (!testing::missing("shm").empty()) GTEST_SKIP() << testing::missing("shm");
  const OfiCase c{.processes = 3, .provider = "shm"};
  run_on_ofi(Shape::parse("3x2"), c, [](Job& job, EmulatedMachine& machine) {
    EXPECT_FALSE(has_shared_file(job.process(job.rank()).pid));
    exchange_tagged(machine, 20);
  });
}

TEST(OfiFabric, RefusesMoreProcessesThanNodes) {
  OfiCase c{.processes = 3};
  const auto outcomes = outcomes_on_ofi(Shape::parse("2"), c, [](Job&, EmulatedMachine&) {});
  EXPECT_THAT(outcomes,
              Each("3 processes for the 2 nodes of torus 2; each process needs at least one node"));
}

/// Local addresses of this process's TCP and UDP sockets, in the hexadecimal notation of /proc/net.
std::set<std::string> local_addresses() {
  namespace fs = std::filesystem;
  std::set<std::string> inodes;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  std::set<std::string> addresses;
  for (const char* table : {"tcp", "tcp6", "udp", "udp6"}) {
    std::ifstream file(fs::path("/proc/self/net") / table);
    std::string line;
    for (std::getline(file, line); std::getline(file, line);) {
      std::istringstream words(line);
      std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
      if (word.size() > 9 && inodes.contains(word[9]))
        addresses.insert(word[1].substr(0, word[1].find(':')));
    }
  }
  return addresses;
}

TEST(OfiFabric, ListensOnlyOnLoopbackIfProcessesUseIt) {
  for (const char* provider : {"tcp;ofi_rxm", "net", "shm"})
    for (const unsigned processes : {1u, 2u}) {
      if (!testing::missing(provider).empty()) continue;
      OfiCase c{.processes = processes, .provider = provider};
      run_on_ofi(Shape::parse("2"), c, [](Job& job, EmulatedMachine& machine) {
        exchange_tagged(machine, 3);
        const auto addresses = local_addresses();
        job.all_gather({});
        EXPECT_THAT(addresses, Each("0100007F"));  // 127.0.0.1
      });
    }
}

TEST(OfiEndpoint, HasAddressOfRequestedInterface) {
  for (const char* provider : {"tcp;ofi_rxm", "net"}) {
    const ofi::Candidate candidate = ofi::Providers("127.0.0.1").get(provider);
    if (candidate.info == nullptr) continue;
    ofi::FrameBuffers buffers(1, {});
    const ofi::Endpoint endpoint(candidate, buffers);
    sockaddr_in address{};
    const ofi::Address bytes = endpoint.contact().address;
    ASSERT_GE(bytes.size(), sizeof(address));
    std::memcpy(&address, bytes.data(), sizeof(address));
    EXPECT_EQ(address.sin_family, AF_INET);
    EXPECT_EQ(address.sin_addr.s_addr, htonl(INADDR_LOOPBACK)) << provider;
  }
}

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

TEST(OfiEndpoint, LeavesNoFileOpen) {
  for (const char* provider : {"tcp;ofi_rxm", "net", "shm"}) {
    const ofi::Candidate candidate = ofi::Providers("127.0.0.1").get(provider);
    if (candidate.info == nullptr) continue;
    ofi::FrameBuffers buffers(1, {});
    std::ptrdiff_t before = 0;
    for (int i = 0; i < 3; ++i) {  // the first may open files that the library keeps
      if (i == 1) before = open_files();
      const ofi::Endpoint endpoint(candidate, buffers);
    }
    EXPECT_EQ(open_files(), before) << provider;
  }
}

TEST(HostShare, GivesProcessesDifferentCoresIfThereAreEnough) {
  for (const unsigned processes : {1u, 2u, 3u, 4u, 6u}) {
    std::vector<std::vector<unsigned>> cores(processes);
    const auto outcomes = testing::run_job(processes, [&](Job& job) {
      const HostTopology topology = HostTopology::synthetic("core:4 pu:1");
      const HostShare share = share_of_host(job, topology);
      EXPECT_EQ(share.processes, processes);
      EXPECT_EQ(share.index, job.rank());
      for (const Core& core : cores_of(topology, share).cores())
        cores[job.rank()].push_back(core.index);
    });
    EXPECT_THAT(outcomes, Each(""));
    std::multiset<unsigned> taken;
    for (const auto& own : cores) {
      EXPECT_FALSE(own.empty());
      taken.insert(own.begin(), own.end());
    }
    for (unsigned core = 0; core < 4; ++core)
      EXPECT_TRUE(taken.count(core) == 1 || processes > 4) << processes << " processes";
  }
}

TEST(HostShare, IsNotDividedIfProcessesHaveDifferentCores) {
  const auto outcomes = testing::run_job(3, [&](Job& job) {
    const HostShare share =
        share_of_host(job, HostTopology::synthetic("core:8 pu:1").part(2 * job.rank(), 2));
    EXPECT_EQ(share.processes, 1u);
    EXPECT_EQ(share.index, 0u);
  });
  EXPECT_THAT(outcomes, Each(""));
}

}  // namespace
}  // namespace toroid
