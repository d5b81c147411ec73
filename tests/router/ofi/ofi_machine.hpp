// A torus spread over processes, on the loopback only. Each process has a job, a fabric and the
// nodes of its part; it checks these nodes. The processes are threads of the test, except with the
// provider shm: its endpoints within one process share memory, and closing one breaks the others.
// So with shm the processes are children of the test.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hal/fabric.hpp"
#include "hal/injection_fifo.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/route.hpp"
#include "hal/shape.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/ofi/providers.hpp"
#include "router/placement/placement.hpp"
#include "router/placement/process_partition.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/pairwise.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/scale.hpp"

namespace toroid::testing {

/// One way to run the same program on several processes.
struct OfiCase {
  RingRoute route = RingRoute::direct;
  RoutingRule routing = RoutingRule::adaptive;
  unsigned processes = 2;
  unsigned workers = 1;  ///< of each process
  std::uint64_t seed = 1;
  std::string provider = "tcp;ofi_rxm";
  Machine machine{};
  std::chrono::milliseconds stall{120'000};  ///< long enough for a busy machine
  std::function<void(std::uint64_t)> watch{};
  FifoLinks tying = FifoTying::per_direction;
  TransferMode transfer = TransferMode::packets;
  std::uint32_t packets_per_visit = 1;
  FrameWay frames = FrameWay::automatic;
  LinkErrors errors{};
  bool unsafe_provider = false;
  std::chrono::milliseconds suspect_after{3000};
  JobOptions job = patient();

  NodeOptions node() const {
    return {.seed = seed,
            // With parity, the links of deterministic packets do not depend on time.
            .settings = {.routing = routing, .tie = TieRule::parity},
            .packets_per_visit = packets_per_visit,
            .transfer = transfer};
  }
  std::string text() const {
    return fmt::format("{} {} {} processes of {} workers, {}, seed {}",
                       kRingRouteNames[static_cast<unsigned>(route)],
                       kRoutingRuleNames[static_cast<unsigned>(routing)], processes, workers,
                       provider, seed);
  }
};

/// Every combination of route, routing rule, processes and workers, each with another seed.
inline std::vector<OfiCase> ofi_cases(const std::string& provider) {
  std::vector<OfiCase> cases;
  for (const unsigned processes : {1u, 2u, 3u, 5u})
    for (const unsigned workers : {1u, 2u})
      for (const RingRoute route : kRoutes)
        for (const RoutingRule routing : kRoutings) {
          cases.push_back({route, routing, processes, workers, cases.size() + 1});
          cases.back().provider = provider;
        }
  return cases;
}

/// Shapes with extents of 1 and 2, odd, prime and unequal extents, and meshes.
inline const std::vector<const char*> kOfiShapes = {
    "1", "2", "7", "8m", "3x3", "5x2m", "1x6x1", "2x3x4", "4mx4m", "3x3mx2", "2x2x2x2", "11"};

/// The provider over which the landing set of tests runs all its cases. Other providers carry the
/// same frames, so over them it runs only a case or two.
inline constexpr const char* kMainProvider = "tcp;ofi_rxm";

/// The combinations of a test's axes that run over a provider: in the landing set only two, unless
/// the provider is kMainProvider.
inline Combinations combinations_over(const std::string& provider, const Combination& sizes) {
  if (is_thorough() || provider == kMainProvider) return combinations(sizes);
  const Combinations all = every_combination(sizes);
  return {all.front(), all.back()};
}

/// Indices of the shapes in kOfiShapes that run. In the landing set a provider other than
/// kMainProvider gets only one shape. Otherwise all shapes run or, with sanitizers, a third of
/// them, selected by `first`.
inline std::vector<std::size_t> shapes_over(const std::string& provider, std::size_t first) {
  constexpr std::size_t kLine = 2, kBlock = 7;
  if (!is_thorough() && provider != kMainProvider) return {first % 2 == 0 ? kLine : kBlock};
  const std::size_t step = is_scaled() ? 3 : 1;
  std::vector<std::size_t> shapes;
  for (std::size_t s = first % step; s < kOfiShapes.size(); s += step) shapes.push_back(s);
  return shapes;
}

/// Calls visit(shape, case) for one case per shape; in the thorough set for two over the provider
/// `net`, whose endpoints open quickly. The cases depend on shape and `first`, so that every case
/// is used somewhere. Limits processes to the number of nodes.
inline void for_each_shape_and_case(const std::string& provider, std::size_t first,
                                    const auto& visit) {
  const auto cases = ofi_cases(provider);
  const std::size_t some = is_thorough() && provider == "net" ? 2 : 1;
  for (const std::size_t s : shapes_over(provider, first))
    for (std::size_t i = 0; i < some; ++i) {
      const Shape shape = Shape::parse(kOfiShapes[s]);
      OfiCase c = cases[(5 * s + 7 * first + 16 * i + i) % cases.size()];
      c.processes = std::min(c.processes, shape.size());
      SCOPED_TRACE(shape.text() + ' ' + c.text());
      visit(shape, c);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

inline std::unique_ptr<Fabric> ofi_fabric(Job& job, const Shape& shape, const OfiCase& c) {
  const Partition partition(shape, job.size());
  Placement placement =
      place(this_machine(), shape, partition.nodes(job.rank()), c.workers, Binding::none);
  placement.oversubscribed = true;  // all processes of the test share the cores
  OfiOptions options{.ring = routed(c.route),
                     .provider = c.provider,
                     .frames = c.frames,
                     .unsafe_provider = c.unsafe_provider,
                     .suspect_after = c.suspect_after};
  options.ring.stall = c.stall;
  options.ring.watch = c.watch;
  options.ring.tying = c.tying;
  options.ring.routing.link_errors = c.errors;
  options.ring.routing.link_seed = c.seed;
  return make_ofi_fabric(job, shape, c.machine, std::move(placement), std::move(options));
}

/// Objects in memory shared with child processes of the test.
template <typename T>
class Shared {
 public:
  explicit Shared(std::size_t count) : count_(count) {
    void* const memory =
        ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    objects_ = static_cast<T*>(memory);
    std::uninitialized_value_construct_n(objects_, count);
  }
  ~Shared() { ::munmap(objects_, bytes()); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  T& operator[](std::size_t i) const { return objects_[i]; }
  std::size_t size() const { return count_; }

 private:
  std::size_t bytes() const { return std::max<std::size_t>(1, count_ * sizeof(T)); }
  std::size_t count_;
  T* objects_;
};

/// The outcome of a child, as text.
using OutcomeText = std::array<char, 2000>;

inline void run_child(const Bootstrap& member, const JobOptions& options, int listener,
                      const Body& body, OutcomeText& text) {
  if (member.listener < 0) ::close(listener);
  std::string outcome = outcome_of(member, options, body);
  if (outcome.empty() && ::testing::Test::HasFailure()) outcome = "a check failed";
  std::fflush(nullptr);
  text[outcome.copy(text.data(), text.size() - 1)] = '\0';
  ::_exit(0);
}

/// Like run_job(), but each process is a child of the test.
inline std::vector<std::string> run_job_of_children(unsigned size, const Body& body,
                                                    const JobOptions& options = patient()) {
  const auto members = bootstraps(size);
  Shared<OutcomeText> texts(size);
  std::vector<pid_t> children;
  std::fflush(nullptr);
  for (unsigned p = 0; p < size; ++p) {
    children.push_back(::fork());
    if (children.back() == 0) run_child(members[p], options, members[0].listener, body, texts[p]);
  }
  ::close(members[0].listener);
  std::vector<std::string> outcomes;
  for (unsigned p = 0; p < size; ++p) {
    int status = -1;
    ::waitpid(children[p], &status, 0);
    outcomes.push_back(status == 0 ? texts[p].data() : fmt::format("died of status {}", status));
  }
  return outcomes;
}

/// Runs a job over a provider. Returns the error message of each process, empty if there is none.
inline std::vector<std::string> run_job_over(const std::string& provider, unsigned size,
                                             const Body& body,
                                             const JobOptions& options = patient()) {
  return provider == "shm" || provider.empty() ? run_job_of_children(size, body, options)
                                               : run_job(size, body, options);
}

using OfiBody = std::function<void(Job&, EmulatedMachine&)>;

inline std::vector<std::string> outcomes_on_ofi(const Shape& shape, const OfiCase& c,
                                                const OfiBody& body,
                                                const EmulatedMachine::Decorate& decorate = {}) {
  std::ignore = this_machine();  // examines the topology before children are forked
  const auto run = [&](Job& job) {
    EmulatedMachine machine(ofi_fabric(job, shape, c), c.node(), decorate);
    body(job, machine);
  };
  return run_job_over(c.provider, c.processes, run, c.job);
}

/// Like outcomes_on_ofi(), but no process may fail.
inline void run_on_ofi(const Shape& shape, const OfiCase& c, const OfiBody& body,
                       const EmulatedMachine::Decorate& decorate = {}) {
  ASSERT_EQ(outcomes_on_ofi(shape, c, body, decorate), std::vector<std::string>(c.processes));
}

/// Exchanges `packets` packets between every pair of nodes; each must arrive once.
inline void exchange_tagged(EmulatedMachine& machine, std::uint32_t packets) {
  MachineExchange exchange(machine, [&](Node& n) { return std::make_unique<Tagged>(n, packets); });
  exchange.run();
  for (const Rank r : machine.ranks())
    EXPECT_TRUE(dynamic_cast<Tagged&>(exchange.messages(r)).each_peer_once());
}

/// Why the provider cannot be used here; empty if it can.
inline std::string missing(const std::string& provider) {
  const ofi::Candidate candidate = ofi::Providers("127.0.0.1").get(provider);
  return candidate.info != nullptr ? "" : provider + ": " + candidate.reason;
}

/// Fixture of tests of whole fabrics, which run on each provider.
class OnEveryProvider : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

inline const auto kProviders = ::testing::Values(kMainProvider, "shm", "net");
inline std::string provider_name(const ::testing::TestParamInfo<const char*>& info) {
  const std::string name = info.param;
  return name.substr(0, name.find(';'));
}

}  // namespace toroid::testing
