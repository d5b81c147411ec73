// Objects and handlers that end while packets may still reach them: the run ends with a message
// that names them, and no memory is touched that has been freed (which AddressSanitizer checks).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hal/packet.hpp"
#include "hal/shape.hpp"
#include "packet/exchange/exchange.hpp"
#include "packet/exchange/group.hpp"
#include "packet/exchange/ring_broadcast.hpp"
#include "packet/exchange/ring_shift.hpp"
#include "packet/exchange/stream.hpp"
#include "packet/exchange/window.hpp"
#include "packet/message_passing/message_passing.hpp"
#include "packet/message_passing/request.hpp"
#include "packet/node/counter.hpp"
#include "packet/node/node.hpp"
#include "packet/node/program.hpp"
#include "packet/policies/policies.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tests/packet/exchange/plans.hpp"
#include "tests/packet/node/wrong_programs.hpp"
#include "tests/router/emulated_machine.hpp"
#include "tests/router/shm/ring_machine.hpp"

namespace toroid {
namespace {

using testing::bytes_of;
using testing::end_of;
using testing::exchanges;
using testing::expect_end;
using testing::kHandler;
using testing::kRoutes;
using testing::MisusedExchange;
using testing::on_every_fabric;
using testing::RingMachine;
using testing::routed;

Program free_a_window(Node& node, std::vector<double>* row) {
  auto window = std::make_unique<Window>(node, bytes_of(*row));
  if (node.rank() == 0) window.reset();
  co_await node.barrier();
  if (node.rank() == 1) {
    std::vector<double> other(row->size());
    const PendingPut put = window->put(0, 0, std::as_bytes(std::span(other)));
    WindowAwaiter left = put.local();
    co_await left;
    co_await node.barrier();
  }
  co_await node.barrier();
}

TEST(Lifetime, OfAWindowThatAnotherNodeStillPutsToIsNamed) {
  for (const std::size_t cells : {3u, 4000u}) {
    std::vector<std::vector<double>> rows(4, std::vector<double>(cells));
    expect_end([&](Node& node) { return free_a_window(node, &rows[node.rank()]); },
               {"node (0)", "for its Window (handler", "destroyed; it must live until"});
  }
}

Program leave_a_put(Node& node, std::vector<double>* memory, std::size_t cells) {
  const std::vector<double> row(cells, 1.0);
  Window window(node, bytes_of(*memory));
  co_await node.barrier();
  if (node.rank() == 0)
    for (Rank to = 1; to < node.size(); ++to)
      window.put(to, 0, std::as_bytes(std::span(row)), Acknowledge::yes);
  else
    co_await node.barrier();  // never passed, so these windows live
}

TEST(Lifetime, OfAWindowWithAPutUnderWayIsNamed) {
  for (const std::size_t cells : {3u, 100000u}) {
    std::vector<std::vector<double>> memory(4, std::vector<double>(cells));
    expect_end([&](Node& node) { return leave_a_put(node, &memory[node.rank()], cells); },
               {"node (0)", "its Window was destroyed before all that it had begun was complete"});
  }
}

Program fail_during_a_put(Node& node, std::vector<double>* memory, std::size_t cells) {
  const std::vector<double> row(cells, 1.0);
  Window window(node, bytes_of(*memory));
  co_await node.barrier();
  if (node.rank() == 0) {
    for (Rank to = 1; to < node.size(); ++to) window.put(to, 0, std::as_bytes(std::span(row)));
    throw std::domain_error("a program that fails");
  }
  co_await node.barrier();
}

TEST(Lifetime, AProgramThatFailsDuringAPutFreesItsArrayOnlyWhenNobodyReadsIt) {
  for (const std::size_t cells : {3u, 100000u}) {
    std::vector<std::vector<double>> memory(4, std::vector<double>(cells));
    expect_end([&](Node& node) { return fail_during_a_put(node, &memory[node.rank()], cells); },
               {"node (0): a program that fails"});
  }
}

Program leave_a_get(Node& node, std::vector<double>* memory) {
  std::vector<double> got(memory->size());
  Window window(node, bytes_of(*memory));
  co_await node.barrier();
  if (node.rank() == 0) window.get(1, 0, bytes_of(got));
  if (node.rank() != 0) co_await node.barrier();
}

TEST(Lifetime, OfAWindowWithAGetUnderWayIsNamed) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(1000));
  expect_end([&](Node& node) { return leave_a_get(node, &memory[node.rank()]); },
             {"node (0)", "its Window was destroyed before"});
}

Program open_one_window_after_another(Node& node, std::vector<double>* memory) {
  { const Window first(node, bytes_of(*memory)); }
  const Window second(node, bytes_of(*memory));
  co_await node.barrier();
}

TEST(Lifetime, MemoryOfAWindowThatHasEndedMayBeOpenedAgain) {
  std::vector<std::vector<double>> memory(4, std::vector<double>(10));
  expect_end([&](Node& node) { return open_one_window_after_another(node, &memory[node.rank()]); },
             {"nothing failed"});
}

Program exchange_in_the_program(Node& node, MisusedExchange* shared, bool waits) {
  Exchange exchange(node, kHandler, Group::all(node.shape(), node.rank()), *shared->plan,
                    shared->messages);
  co_await node.barrier();
  exchange.start();
  const ExchangeAwaiter all = exchange.wait();
  ExchangeAwaiter received = all;
  if (waits) co_await received;
}

TEST(Lifetime, OfAnExchangeThatIsDestroyedBeforeItsPacketsHaveLeftIsNamed) {
  std::deque<MisusedExchange> sends = exchanges(Shape::parse("4"), {}, 100'000);
  expect_end([&](Node& node) { return exchange_in_the_program(node, &sends[node.rank()], false); },
             {"its Exchange was destroyed before all that it had begun was complete"});
}

/// A relaying policy's packets reach nodes whose own part is over: the run ends with the name of
/// the exchange, or all is complete by chance.
TEST(Lifetime, OfAnExchangeThatIsDestroyedBeforeItHasRelayedForOthersIsNamed) {
  const Policy& policy = policy_by_name("two-phase");
  testing::PolicySetup setup(policy, "4x4", {}, {.payload = false, .places = false});
  std::deque<MisusedExchange> sends = exchanges(Shape::parse("4x4"), setup.nodes, 2000);
  on_every_fabric(
      "4x4", setup.nodes,
      [&](Node& node) { return exchange_in_the_program(node, &sends[node.rank()], true); },
      [](const std::string& end) {
        EXPECT_THAT(end, ::testing::AnyOf(::testing::HasSubstr("xchange"),
                                          ::testing::Eq("nothing failed")));
      });
}

Program free_a_ring_shift(Node& node) {
  const Rank right = (node.rank() + 1) % node.size();
  const Rank left = (node.rank() + node.size() - 1) % node.size();
  std::vector<std::byte> own(1000), other(1000);
  auto shift =
      std::make_unique<RingShift>(node, kHandler, RingShift::Way{.to = right, .from = left}, 1000);
  if (node.rank() == 0) shift.reset();
  co_await node.barrier();
  if (shift) {
    shift->begin(own, other);
    shift->release();
  }
  co_await node.barrier();
  co_await node.barrier();
}

TEST(Lifetime, OfARingShiftThatIsDestroyedWhileItsNeighbourSendsIsNamed) {
  expect_end(free_a_ring_shift, {"node (0)", "for its RingShift (handler"});
}

Program free_a_ring_broadcast(Node& node) {
  const Rank up = (node.rank() + 1) % node.size();
  const Rank down = (node.rank() + node.size() - 1) % node.size();
  std::array<std::vector<std::byte>, 3> blocks;
  for (auto& block : blocks) block.resize(1000);
  auto ring = std::make_unique<RingBroadcast>(
      node, kHandler, RingBroadcast::Ring{up, down, node.rank(), node.size(), 0}, 1000);
  if (node.rank() == 0) ring.reset();
  co_await node.barrier();
  if (ring) ring->begin(blocks[0], {blocks[1], blocks[2]});
  co_await node.barrier();
  co_await node.barrier();
}

TEST(Lifetime, OfARingBroadcastThatIsDestroyedWhileItsNeighboursSendIsNamed) {
  expect_end(free_a_ring_broadcast, {"node (0)", "for its RingBroadcast (handler"});
}

Program free_message_passing(Node& node, bool at_the_receiver) {
  auto layer = std::make_unique<MessagePassing>(node, kHandler);
  std::vector<std::byte> message(100'000);
  if (at_the_receiver && node.rank() == 0) layer.reset();
  co_await node.barrier();
  if (node.rank() == 1) {
    MessageRequest request;
    layer->send(0, 0, 7, message, request);
    if (!at_the_receiver) layer.reset();
    RequestsAwaiter sent = MessagePassing::wait(std::span(&request, 1));
    co_await sent;
  }
  co_await node.barrier();
}

TEST(Lifetime, OfMessagePassingThatIsDestroyedTooEarlyIsNamed) {
  expect_end([](Node& node) { return free_message_passing(node, true); },
             {"node (0)", "for its MessagePassing (handler"});
  expect_end([](Node& node) { return free_message_passing(node, false); },
             {"node (1)", "its MessagePassing was destroyed before all that it had begun"});
}

Program forget_a_request(Node& node, MessagePassing* layer, bool receives) {
  std::vector<std::byte> message(100'000);
  co_await node.barrier();
  if (node.rank() == 1) {
    std::vector<MessageRequest> requests(1);
    if (receives)
      layer->receive(0, 0, 7, message, requests[0]);
    else
      layer->send(0, 0, 7, message, requests[0]);
  }
  co_await node.barrier();
}

TEST(Lifetime, OfARequestThatIsDestroyedBeforeItIsDoneIsNamed) {
  for (const bool receives : {false, true})
    for (const RingRoute route : kRoutes) {
      RingMachine machine(Shape::parse("4"), 2, {}, routed(route));
      std::deque<MessagePassing> layers;
      for (const Rank r : machine.ranks()) layers.emplace_back(machine.node(r), kHandler);
      const std::string end = end_of(machine, [&](Node& node) {
        return forget_a_request(node, &layers[node.rank()], receives);
      });
      EXPECT_THAT(end, ::testing::HasSubstr("its MessageRequest was destroyed before"));
      EXPECT_THAT(end, ::testing::HasSubstr("node (1)"));
    }
}

Program forget_a_stream(Node& node) {
  const std::vector<std::byte> message(100'000);
  co_await node.barrier();
  if (node.rank() == 0) {
    Stream stream(node, kHandler, 1, message);
    stream.start();
  }
}

TEST(Lifetime, OfAStreamThatIsDestroyedBeforeItHasBeenSentIsNamed) {
  expect_end(
      [](Node& node) {
        node.on(kHandler, [](const Packet&) {});
        return forget_a_stream(node);
      },
      {"node (0)", "its Stream was destroyed before"});
}

// Handlers.

Program count_in_the_program(Node& node) {
  std::vector<unsigned> counts(1000);
  Counter seen;
  node.on(kHandler, [&](const Packet& packet) {
    ++counts[packet.header.argument()];
    seen.bump();
  });
  co_await node.barrier();
  if (node.rank() != 0) co_return;
  for (std::uint32_t i = 0; i < 100; ++i) {
    co_await node.compute(1000);
    co_await node.send(1, kHandler, i, i);
  }
}

TEST(Lifetime, OfAHandlerWhoseProgramHasEndedIsNamed) {
  expect_end(count_in_the_program,
             {"node (1)", "handler 16, which ended with the program that set it",
              "set the handler before the run"});
}

Program part_with_a_handler(Node& node) {
  std::vector<unsigned> counts(1000);
  node.on(kHandler, [&](const Packet& packet) { ++counts[packet.header.argument()]; });
  co_await node.barrier();
}

Program send_after_the_part(Node& node, Program* part) {
  co_await node.perform(*part);
  co_await node.barrier();
  co_await node.send((node.rank() + 1) % node.size(), kHandler, 1, 1);
  co_await node.barrier();
  co_await node.barrier();
}

TEST(Lifetime, OfAHandlerWhosePartHasEndedIsNamed) {
  std::deque<Program> parts;
  expect_end(
      [&](Node& node) {
        return send_after_the_part(node, &parts.emplace_back(part_with_a_handler(node)));
      },
      {"handler 16, which ended with the program that set it"});
}

TEST(Lifetime, AHandlerThatIsSetBeforeTheRunOutlivesThePrograms) {
  std::vector<unsigned> counts(4);
  expect_end(
      [&](Node& node) {
        node.on(kHandler, [&counts, &node](const Packet& packet) {
          const std::uint32_t left = packet.header.argument();
          ++counts[node.rank()];
          if (left > 0) node.post((node.rank() + 1) % node.size(), kHandler, {}, left - 1);
        });
        if (node.rank() == 0) node.post(1, kHandler, {}, 11);
        return Program();
      },
      {"nothing failed"});
  EXPECT_GT(counts[0], 0u);
  EXPECT_EQ(counts[0] % 3, 0u);  // 3 in each run
  EXPECT_EQ(counts, std::vector<unsigned>(4, counts[0]));
}

}  // namespace
}  // namespace toroid
