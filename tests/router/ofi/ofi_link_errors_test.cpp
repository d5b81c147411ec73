// A fabric of several processes with faulty frames, over real providers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/link_errors.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/block_messages.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/node/node.hpp"
#include "packet/node/settings.hpp"
#include "router/job/job.hpp"
#include "router/ofi/message_or_write.hpp"
#include "tests/packet/exchange/known_blocks.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/ofi/ofi_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"
#include "tests/router/shm/tagged_messages.hpp"
#include "tests/scale.hpp"

namespace toroid {
namespace {

using ::testing::Each;
using testing::EmulatedMachine;
using testing::exchange_tagged;
using ::testing::HasSubstr;
using testing::OfiCase;
using testing::run_on_ofi;

using OfiLinkErrors = testing::OnEveryProvider;
INSTANTIATE_TEST_SUITE_P(Over, OfiLinkErrors, testing::kProviders, testing::provider_name);

LinkErrors errors_at(double rate, LinkFaultSet faults = kNoticedFaults) {
  return {.rates = {{rate, ""}}, .faults = faults};
}

TEST_P(OfiLinkErrors, LoseAndDuplicateNoPacketOnEitherRoute) {
  const std::uint32_t packets = testing::is_thorough() ? 5'000 : 2'500;
  for (const auto& row : testing::combinations_over(GetParam(), {2, 2})) {
    const unsigned processes = row[1] == 0 ? 2 : 3;
    OfiCase c{.route = testing::kRoutes[row[0]], .processes = processes};
    c.workers = 1 + processes % 2;
    c.seed = processes;
    c.provider = GetParam();
    // At this rate some of the dozens of frames must be resent, but no frame is lost sixteen times
    // in a row. Such a frame would make its receiver a suspect.
    c.errors = errors_at(0.2, set_of(LinkFault::drop) | set_of(LinkFault::corrupt));
    run_on_ofi(Shape::parse("3x2"), c, [&](Job& job, EmulatedMachine& machine) {
      exchange_tagged(machine, packets);
      if (job.rank() != 0) return;
      const LinkErrorCounters& errors = machine.counters().link_errors;
      TOROID_CHECK(errors.errors > 0);
      TOROID_CHECK(errors.repeats > 0);
      TOROID_CHECK_EQ(errors.crc_mismatches, 0u);
    });
  }
}

/// Exchanges blocks of 30,011 bytes between all nodes, in packed parts.
void exchange_blocks(EmulatedMachine& machine) {
  std::vector<std::unique_ptr<BlockMessages>> blocks(machine.size());
  std::vector<std::unique_ptr<Exchange>> exchanges(machine.size());
  testing::PlanPointer plan;
  for (const Rank r : machine.ranks()) {
    blocks[r] = testing::known_blocks(machine.node(r), 30'011);
    if (!plan) plan = testing::plan_for(machine.node(r), *blocks[r]);
    exchanges[r] = std::make_unique<Exchange>(machine.node(r), testing::kHandler,
                                              Group::all(machine.shape(), r), *plan, *blocks[r]);
  }
  machine.run([&](Node& node) { return testing::receive_all(node, exchanges[node.rank()].get()); });
  for (const Rank r : machine.ranks()) testing::expect_known(*blocks[r], r, machine.size());
}

TEST_P(OfiLinkErrors, ChangeNoByteOfPackedPuts) {
  OfiCase c{.processes = 2, .provider = GetParam()};
  c.transfer = TransferMode::put;
  c.packets_per_visit = 1u << 20;
  c.errors = errors_at(0.1);
  run_on_ofi(Shape::parse("6"), c, [](Job&, EmulatedMachine& machine) {
    exchange_blocks(machine);
    TOROID_CHECK_EQ(machine.counters().link_errors.crc_mismatches, 0u);
  });
}

TEST_P(OfiLinkErrors, SilentErrorsAreFoundByRunningChecksums) {
  OfiCase c{.processes = 2, .provider = GetParam()};
  c.errors = errors_at(0.5, set_of(LinkFault::silent));
  run_on_ofi(Shape::parse("2"), c, [](Job& job, EmulatedMachine& machine) {
    testing::MachineExchange exchange(
        machine, [&](Node& n) { return std::make_unique<testing::Tagged>(n, 2000); });
    exchange.run();
    if (job.rank() == 0) TOROID_CHECK_EQ(machine.counters().link_errors.crc_mismatches, 2u);
  });
}

TEST(OfiLinkErrors, NeedFramesSentAsMessages) {
  const auto outcomes = testing::run_job(2, [](Job& job) {
    OfiCase c{.processes = 2};
    c.errors = errors_at(0);
    c.frames = FrameWay::writes;
    testing::ofi_fabric(job, Shape::parse("2"), c);
  });
  EXPECT_THAT(outcomes, Each(HasSubstr("link errors need --frames messages")));
}

}  // namespace
}  // namespace toroid
