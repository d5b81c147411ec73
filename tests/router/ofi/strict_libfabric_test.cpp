// The endpoint and whole runs on a libfabric in memory that is as strict as any provider may be. It
// makes the demands of network cards that the test machines lack.
#include "tests/router/ofi/strict_libfabric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <complex>
#include <memory>
#include <optional>
#include <span>

#include "fft/plan/description.hpp"
#include "hal/check.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/node/settings.hpp"
#include "router/job/job.hpp"
#include "router/ofi/endpoint.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/message_or_write.hpp"
#include "router/ofi/providers.hpp"
#include "router/ofi/transport.hpp"
#include "router/placement/pci_distance.hpp"
#include "router/shm/ring_fabric.hpp"
#include "router/sim/sim_fabric.hpp"
#include "tests/comes_true.hpp"
#include "tests/fft/plan/plan_run.hpp"
#include "tests/fft/reference.hpp"
#include "tests/packet/exchange/known_blocks.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/placement/two_cards.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using testing::EmulatedMachine;
using testing::exchange_tagged;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OfiCase;
using testing::StrictLibfabric;
using testing::StrictOptions;

/// Memory modes that a provider may require: all of them; offsets instead of addresses; keys drawn
/// by the user; none.
constexpr std::array<std::uint64_t, 4> kMemoryModes = {
    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT,
    FI_MR_LOCAL | FI_MR_PROV_KEY, FI_MR_VIRT_ADDR | FI_MR_ENDPOINT, 0};

OfiCase strict_case(FrameWay frames, std::uint64_t seed = 1) {
  OfiCase c{.processes = 2, .seed = seed, .provider = StrictLibfabric::kName};
  c.frames = frames;
  return c;
}

OfiCase whole_puts(std::uint64_t seed) {
  OfiCase c = strict_case(FrameWay::automatic, seed);
  c.transfer = TransferMode::put;
  c.packets_per_visit = 1u << 20;
  return c;
}

TEST(StrictLibfabric, CarriesEveryRouteByWritesAndMessagesInEveryMemoryMode) {
  std::uint64_t seed = 0;
  for (const std::uint64_t mode : kMemoryModes)
    for (const FrameWay frames : {FrameWay::messages, FrameWay::writes})
      for (const RingRoute route : testing::kRoutes) {
        StrictLibfabric library({.seed = ++seed, .mr_mode = mode});
        OfiCase c = strict_case(frames, seed);
        c.route = route;
        c.processes = seed % 2 == 0 ? 2 : 3;
        c.workers = seed % 3 == 0 ? 2 : 1;
        testing::run_on_ofi(Shape::parse("3x2x2"), c,
                            [](Job&, EmulatedMachine& m) { exchange_tagged(m, 40); });
        EXPECT_THAT(library.complaints(), IsEmpty()) << c.text() << ", mode " << mode;
        EXPECT_EQ(library.writes() > 0, frames == FrameWay::writes);
        EXPECT_GT(library.messages(), 0u);  // acknowledgements are messages in any case
      }
}

TEST(StrictLibfabric, CarriesTransformsByPutWithModelBits) {
  const fft::Description d{.size = {8, 6, 10}, .method = fft::Method::volumetric};
  const Shape torus = Shape::parse("2x2x1");
  using Value = std::complex<double>;
  const auto input = testing::noise_of<Value>(480, 11);
  const auto model = make_sim_fabric(torus, Machine{});
  const auto expected = testing::run_plan<Value, Value>(*model, d, input);
  for (const FrameWay frames : {FrameWay::messages, FrameWay::writes}) {
    StrictLibfabric library({.seed = 3});
    OfiCase c = strict_case(frames);
    c.transfer = TransferMode::put;
    const auto outcomes = testing::run_job(c.processes, [&](Job& job) {
      const auto fabric = testing::ofi_fabric(job, torus, c);
      const auto run = testing::run_plan<Value, Value>(*fabric, d, input, c.node());
      for (std::size_t i = 0; i < input.size(); ++i)
        if (run.result_here[i])
          TOROID_CHECK(std::memcmp(&run.result[i], &expected.result[i], sizeof(Value)) == 0);
    });
    EXPECT_THAT(outcomes, Each(""));
    EXPECT_THAT(library.complaints(), IsEmpty());
  }
}

/// Two endpoints without a gateway.
class TwoEnds {
 public:
  static constexpr ofi::FlowLimits kLimits{.frame_bytes = 512, .window = 2, .send_buffers = 1};

  TwoEnds() {
    for (unsigned p = 0; p < 2; ++p) ends_[p].emplace(provider_, buffers_[p]);
    std::ranges::fill(buffers_[1].memory(), std::byte{0xee});
  }
  ofi::Contact contact(unsigned p) const { return ends_[p]->contact(); }

  /// Process 0 writes a frame to this peer. Returns the error.
  int write(const ofi::Peer& to, std::uint32_t slot) {
    ends_[0]->insert({{}, to});
    ofi::Operation& operation = buffers_[0].outward(0)[0];
    std::ranges::fill(operation.buffer, std::byte{0x11});
    operation.peer = 1;
    operation.slot = slot;
    operation.bytes = 512;
    while (!ends_[0]->try_send(operation)) poll(1);
    return wait();
  }
  std::unique_ptr<ofi::Region> expose(unsigned p, std::span<const std::byte> memory) {
    return ends_[p]->expose(memory);
  }
  /// Process 0 reads this many bytes of process 1. Returns the error.
  int read(const ofi::Exposed& from, std::size_t bytes) {
    ends_[0]->insert({{}, {ends_[1]->contact(), 0}});
    std::vector<std::byte> here(bytes);
    const auto into = ends_[0]->open(here);
    ofi::ReadOperation operation{};
    operation.buffer = here;
    operation.reads = true;
    operation.peer = 1;
    operation.from = from;
    operation.into = into.get();
    while (!ends_[0]->try_read(operation)) poll(1);
    return wait();
  }
  bool is_untouched() const {
    const auto memory = buffers_[1].memory();
    return std::ranges::all_of(memory, [](std::byte b) { return b == std::byte{0xee}; });
  }

 private:
  int wait() {
    while (true) {
      poll(1);
      std::array<ofi::Completion, 1> done{};
      if (ends_[0]->poll(done) > 0) return done[0].error;
    }
  }
  void poll(unsigned p) {
    std::array<ofi::Completion, 4> completions{};
    (void)ends_[p]->poll(completions);
  }

  ofi::Candidate provider_ = ofi::Providers("").get(StrictLibfabric::kName);
  std::array<ofi::FrameBuffers, 2> buffers_{{{1, kLimits}, {1, kLimits}}};
  std::array<std::optional<ofi::Endpoint>, 2> ends_;
};

/// The rows along z are contiguous at both ends.
TEST(StrictLibfabric, ReadsLongRowsOfTransformsInEveryMemoryMode) {
  const fft::Description d{.size = {8, 8, 2048}, .method = fft::Method::volumetric};
  const Shape torus = Shape::parse("2x1x1");
  using Value = std::complex<double>;
  const auto input = testing::noise_of<Value>(std::size_t{64} * 2048, 11);
  const auto model = make_sim_fabric(torus, Machine{});
  const auto expected = testing::run_plan<Value, Value>(*model, d, input);
  std::uint64_t seed = 0;
  for (const std::uint64_t mode : kMemoryModes) {
    StrictLibfabric library({.seed = ++seed, .mr_mode = mode});
    const OfiCase c = whole_puts(seed);
    const auto outcomes = testing::run_job(c.processes, [&](Job& job) {
      const auto fabric = testing::ofi_fabric(job, torus, c);
      const auto run = testing::run_plan<Value, Value>(*fabric, d, input, c.node());
      for (std::size_t i = 0; i < input.size(); ++i)
        if (run.result_here[i])
          TOROID_CHECK(std::memcmp(&run.result[i], &expected.result[i], sizeof(Value)) == 0);
    });
    EXPECT_THAT(outcomes, Each(""));
    EXPECT_THAT(library.complaints(), IsEmpty()) << "mode " << mode;
    EXPECT_GT(library.reads(), 0u);
    EXPECT_EQ(library.regions(), 0u);
  }
}

/// Runs an all-to-all of blocks that are long enough to be read.
void exchange_long_blocks(EmulatedMachine& machine) {
  std::vector<std::unique_ptr<BlockMessages>> blocks(machine.size());
  std::vector<std::unique_ptr<Exchange>> exchanges(machine.size());
  testing::PlanPointer plan;
  for (const Rank r : machine.ranks()) {
    blocks[r] = testing::known_blocks(machine.node(r), 300'001);
    if (!plan) plan = testing::plan_for(machine.node(r), *blocks[r]);
    exchanges[r] = std::make_unique<Exchange>(machine.node(r), testing::kHandler,
                                              Group::all(machine.shape(), r), *plan, *blocks[r]);
  }
  machine.run([&](Node& node) { return testing::receive_all(node, exchanges[node.rank()].get()); });
  TOROID_CHECK(machine.finished());
  for (const Rank r : machine.ranks()) testing::expect_known(*blocks[r], r, machine.size());
}

TEST(StrictLibfabric, ReadsBlocksOfAllToAllBetweenManyProcessesAndWorkers) {
  for (const unsigned workers : {1u, 2u}) {
    StrictLibfabric library({.seed = workers});
    OfiCase c = whole_puts(workers);
    c.workers = workers;
    c.processes = 3;
    c.stall = std::chrono::milliseconds(4000);
    SCOPED_TRACE(c.text());
    testing::run_on_ofi(Shape::parse("6"), c,
                        [](Job&, EmulatedMachine& m) { exchange_long_blocks(m); });
    EXPECT_THAT(library.complaints(), IsEmpty());
    EXPECT_EQ(library.reads(), 24u);
    EXPECT_EQ(library.regions(), 0u);
  }
}

Program start_and_fail(Node& node, Exchange* exchange) {
  exchange->start();
  if (node.rank() == 1) throw RunFailed("that is enough");
  co_await exchange->wait();
}

/// After a failure a process may free its arrays while other processes still run.
TEST(StrictLibfabric, DoesNotTouchMemoryOfFailedRun) {
  StrictLibfabric library({.busy = 60, .late = 60});
  const auto outcomes =
      testing::outcomes_on_ofi(Shape::parse("2"), whole_puts(3), [&](Job&, EmulatedMachine& m) {
        const Rank r = m.ranks().front();
        const auto blocks = testing::known_blocks(m.node(r), 500'000);
        const auto plan = testing::plan_for(m.node(r), *blocks);
        Exchange exchange(m.node(r), testing::kHandler, Group::all(m.shape(), r), *plan, *blocks);
        try {
          m.run([&](Node& node) { return start_and_fail(node, &exchange); });
        } catch (const RunFailed&) {
          TOROID_CHECK(testing::comes_true([&] { return library.regions() == 0; }));
          throw;
        }
      });
  EXPECT_THAT(outcomes, Each(HasSubstr("that is enough")));
  EXPECT_THAT(library.complaints(), IsEmpty());
}

TEST(StrictLibfabric, ReadsMemoryOnlyWhileItIsExposed) {
  for (const std::uint64_t mode : kMemoryModes) {
    StrictLibfabric library({.mr_mode = mode});
    TwoEnds ends;
    std::vector<std::byte> theirs(4096, std::byte{0x55});
    auto exposed = ends.expose(1, theirs);
    const ofi::Exposed at = exposed->exposed();
    EXPECT_EQ(ends.read(at, 4096), 0);
    EXPECT_EQ(ends.read({at.address + 96, at.key}, 4000), 0);
    EXPECT_EQ(ends.read({at.address + 97, at.key}, 4000), FI_EACCES);
    EXPECT_EQ(ends.read({at.address, at.key ^ 1}, 1), FI_EACCES);
    exposed.reset();
    EXPECT_EQ(ends.read(at, 1), FI_EACCES);
    EXPECT_THAT(library.complaints(), IsEmpty());
  }
}

TEST(StrictLibfabric, FailedRegistrationOfPutEndsRunWithReason) {
  StrictLibfabric library({});
  const auto outcomes =
      testing::outcomes_on_ofi(Shape::parse("2"), whole_puts(1), [&](Job&, EmulatedMachine& m) {
        library.registering_fails(FI_ENOMEM);
        exchange_long_blocks(m);
      });
  EXPECT_THAT(outcomes, Each(HasSubstr("cannot register the memory of a put")));
}

TEST(StrictLibfabric, CarriesMessagesWithoutRemoteMemoryAccess) {
  StrictLibfabric library({.writes = false});
  testing::run_on_ofi(Shape::parse("4x2"), strict_case(FrameWay::automatic),
                      [](Job&, EmulatedMachine& m) { exchange_tagged(m, 20); });
  EXPECT_THAT(library.complaints(), IsEmpty());
  EXPECT_EQ(library.writes(), 0u);
}

/// The provider shm of libfabric 2.1 reports writes in this way.
TEST(StrictLibfabric, CarriesWritesWhoseCompletionsHaveOnlyTheDataFlag) {
  StrictLibfabric library({.bare_data = true});
  testing::run_on_ofi(Shape::parse("4x2"), strict_case(FrameWay::writes),
                      [](Job&, EmulatedMachine& m) { exchange_tagged(m, 20); });
  EXPECT_THAT(library.complaints(), IsEmpty());
  EXPECT_GT(library.writes(), 0u);
}

TEST(StrictLibfabric, UnknownCompletionEndsRun) {
  StrictLibfabric library({.strange_context = true});
  const auto outcomes =
      testing::outcomes_on_ofi(Shape::parse("4x2"), strict_case(FrameWay::messages),
                               [](Job&, EmulatedMachine& m) { exchange_tagged(m, 20); });
  EXPECT_THAT(outcomes, Each(HasSubstr("completed an operation that this process did not start")));
}

TEST(StrictLibfabric, IsRefusedForFramesByWriteIfItLacksRemoteAccess) {
  StrictLibfabric library({.writes = false});
  const auto outcomes =
      testing::outcomes_on_ofi(Shape::parse("4x2"), strict_case(FrameWay::writes),
                               [](Job&, EmulatedMachine& m) { exchange_tagged(m, 1); });
  EXPECT_THAT(outcomes, Each(AllOf(HasSubstr("process 0"), HasSubstr("cannot write frames"),
                                   HasSubstr(StrictLibfabric::kName))));
}

TEST(StrictLibfabric, FailedRegistrationOfFramesEndsRunWithReason) {
  StrictLibfabric library({.registering_fails = FI_ENOMEM});
  const auto outcomes =
      testing::outcomes_on_ofi(Shape::parse("4x2"), strict_case(FrameWay::automatic),
                               [](Job&, EmulatedMachine& m) { exchange_tagged(m, 1); });
  EXPECT_THAT(outcomes, Each(AllOf(HasSubstr("cannot register the frames' memory"),
                                   HasSubstr("Cannot allocate memory"))));
}

TEST(StrictLibfabric, ChoosesNetworkCardNearestToWorker) {
  const testing::TwoCards machine;
  StrictLibfabric library({.cards = {machine.card(0), machine.card(1)}});
  const auto domain_near = [](std::optional<unsigned> pu) {
    const ofi::Candidate provider = ofi::Providers("", pu).get(StrictLibfabric::kName);
    return std::string(provider.info->domain_attr->name);
  };
  EXPECT_EQ(domain_near(0), "strict0");
  EXPECT_EQ(domain_near(1), "strict0");
  EXPECT_EQ(domain_near(2), "strict1");
  EXPECT_EQ(domain_near(3), "strict1");
  EXPECT_EQ(domain_near(9), "strict0");  // unknown PU: the first card
  EXPECT_EQ(domain_near(std::nullopt), "strict0");
}

TEST(StrictLibfabric, FailedRegistrationNamesLimitOfLockedMemory) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_MEMLOCK, &before), 0);
  const rlimit little{.rlim_cur = 64 << 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_MEMLOCK, &little), 0);
  StrictLibfabric library({.registering_fails = FI_ENOMEM});
  const auto outcomes =
      testing::outcomes_on_ofi(Shape::parse("4x2"), strict_case(FrameWay::automatic),
                               [](Job&, EmulatedMachine& m) { exchange_tagged(m, 1); });
  ::setrlimit(RLIMIT_MEMLOCK, &before);
  EXPECT_THAT(outcomes,
              Each(HasSubstr("the limit of locked memory is 64 KiB, raise it (ulimit -l)")));
}

TEST(StrictLibfabric, FailedEnableClosesOpenedObjects) {
  StrictLibfabric library({.enabling_fails = FI_EINVAL});
  const ofi::Candidate provider = ofi::Providers("").get(StrictLibfabric::kName);
  ofi::FrameBuffers buffers(1, {});
  EXPECT_THAT([&] { ofi::Endpoint(provider, buffers); },
              ::testing::ThrowsMessage<RunFailed>(HasSubstr("enable the frames' memory")));
  EXPECT_THAT(library.complaints(), IsEmpty());
}

TEST(StrictLibfabric, SkipsCardsThatAreDownOrOnAnotherNetwork) {
  const testing::TwoCards machine;
  const auto domain_near = [&](const StrictOptions& options) {
    StrictLibfabric library(options);
    const ofi::Candidate provider = ofi::Providers("", 2).get(StrictLibfabric::kName);
    return std::string(provider.info->domain_attr->name);
  };
  const std::vector<PciAddress> cards = {machine.card(0), machine.card(1)};
  EXPECT_EQ(domain_near({.cards = cards}), "strict1");
  EXPECT_EQ(domain_near({.cards = cards, .down = 1}), "strict0");
  EXPECT_EQ(domain_near({.cards = cards, .down = 0}), "strict1");
  EXPECT_EQ(domain_near({.cards = cards, .elsewhere = 1}), "strict0");
}

TEST(StrictLibfabric, WritesNothingOutsideTheRegisteredMemory) {
  for (const std::uint64_t mode : kMemoryModes) {
    StrictLibfabric library({.mr_mode = mode});
    TwoEnds ends;
    EXPECT_EQ(ends.write({ends.contact(1), 1000}, 0), FI_EACCES);  // a window far beyond the memory
    EXPECT_TRUE(ends.is_untouched());
    EXPECT_THAT(library.complaints(), IsEmpty());
  }
}

TEST(StrictLibfabric, WritesNothingWithWrongKey) {
  StrictLibfabric library({});
  TwoEnds ends;
  ofi::Contact stranger = ends.contact(1);
  stranger.key ^= 1;
  EXPECT_EQ(ends.write({stranger, 0}, 0), FI_EACCES);
  EXPECT_TRUE(ends.is_untouched());
}

TEST(StrictLibfabric, WritesIntoNamedSlot) {
  StrictLibfabric library({});
  TwoEnds ends;
  EXPECT_EQ(ends.write({ends.contact(1), 0}, 1), 0);
  EXPECT_FALSE(ends.is_untouched());
  EXPECT_EQ(library.writes(), 1u);
}

}  // namespace
}  // namespace toroid
